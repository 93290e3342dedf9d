import { describe, expect, it } from 'vitest';
import { progressBar, terminal } from '../../cli/terminal.ts';

/** A stream that remembers, as wide as told. */
function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, isTTY, ...(columns === undefined ? {} : { columns }), write: (text: string) => written.push(text) };
}

const bar = progressBar(45_000, 100_000);

describe('progress', () => {
  it.each([0, 80, 200, undefined])('is drawn whole on a terminal that says it is %s wide', (columns) => {
    const err = stream(true, columns);
    terminal(stream(true), err, {}).progress(bar);
    expect(err.written).toEqual(['[###########-------------]  45 %  45,000 of 100,000']);
  });

  it('never wraps on a narrow one, and is cleared before the next line', () => {
    const [out, err] = [stream(true), stream(true, 20)];
    const { progress, out: say } = terminal(out, err, {});
    progress(bar);
    say('done');
    expect(err.written).toEqual([bar.slice(0, 19), '\r\u001b[K']);
    expect(out.written).toEqual(['done\n']);
  });

  it('is not drawn where nobody watches', () => {
    const err = stream(false);
    terminal(stream(false), err, {}).progress(bar);
    expect(err.written).toEqual([]);
  });
});
