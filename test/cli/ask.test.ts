import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askOnTerminal } from '../../cli/ask.ts';

function openTerminal(stop = new AbortController().signal) {
  const input = new PassThrough();
  let shown = '';
  const output = {
    write: (text: unknown) => {
      shown += String(text);
      return true;
    },
  };
  return { ask: askOnTerminal(input, output, stop), input, shown: () => shown };
}

it('echoes an answer, but not a hidden one', async () => {
  const { ask, input, shown } = openTerminal();
  const first = ask('name? ');
  input.write('Ada\r');
  expect(await first).toBe('Ada');
  const second = ask('token? ', { hidden: true });
  input.write('hunter2\r');
  expect(await second).toBe('hunter2');
  expect(shown()).toMatch(/name\? [\s\S]*Ada[\s\S]*token\? /);
  expect(shown()).not.toContain('hunter2');
});

it('uses lines that were pasted together, one for each question, and does not show hidden ones', async () => {
  const { ask, input, shown } = openTerminal();
  const first = ask('one? ');
  input.write('1\r\nhunter2\r\n3\r\n');
  expect([await first, await ask('two? ', { hidden: true }), await ask('three? ')]).toEqual(['1', 'hunter2', '3']);
  // A terminal in raw mode echoes nothing itself.
  expect(shown()).toMatch(/two\? \nthree\? 3\n$/);
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('is cancelled by %s', async (_, key) => {
  const { ask, input } = openTerminal();
  const answer = ask('name? ');
  input.write(key);
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
});

it('is cancelled when the process is asked to stop', async () => {
  const stop = new AbortController();
  const answer = openTerminal(stop.signal).ask('name? ');
  stop.abort();
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
});
