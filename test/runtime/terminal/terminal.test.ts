import { describe, expect, it } from 'vitest';
import { progressBar, terminal } from '../../../runtime/terminal/terminal.ts';

/** A stream of the given width that records what is written. */
function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, isTTY, ...(columns === undefined ? {} : { columns }), write: (text: string) => written.push(text) };
}

const bar = progressBar(45_000, 100_000);

describe('progress', () => {
  it.each([0, 80, 200, undefined])('is drawn in full on a terminal that reports a width of %s', (columns) => {
    const err = stream(true, columns);
    terminal(stream(true), err, {}).progress(bar);
    expect(err.written).toEqual(['[###########-------------]  45 %  45,000 of 100,000']);
  });

  it('is cut to the width of a narrow terminal, and cleared before the next line', () => {
    const [out, err] = [stream(true), stream(true, 20)];
    const { progress, out: say } = terminal(out, err, {});
    progress(bar);
    say('done');
    expect(err.written).toEqual([bar.slice(0, 19), '\r\u001b[K']);
    expect(out.written).toEqual(['done\n']);
  });

  it('is not drawn when stderr is not a terminal', () => {
    const err = stream(false);
    terminal(stream(false), err, {}).progress(bar);
    expect(err.written).toEqual([]);
  });
});

describe('a line', () => {
  it.each(['out', 'err'] as const)('passes no command to the terminal, written with %s', (method) => {
    const [out, err] = [stream(true), stream(true)];
    const { paint, ...write } = terminal(out, err, {});
    const painted = paint('green', 'sent');
    write[method](`${painted}\tbody\n\u001b]52;c;cm0=\u0007\u001b[2J\u009b31m\rover`);
    const written = (method === 'out' ? out : err).written.join('');
    expect(written).toBe(`${painted}\tbody\n\\u001b]52;c;cm0=\\u0007\\u001b[2J\\u009b31m\\u000dover\n`);
    expect(painted).toContain('\u001b[');
  });

  it('keeps the colours of commands, and no code that hides what follows', () => {
    const out = stream(true);
    const { paint, out: write } = terminal(out, stream(true), {});
    const painted = (['bold', 'dim', 'red', 'green', 'yellow', 'magenta', 'cyan'] as const).map((style) =>
      paint(style, 'x'),
    );
    write(painted.join(''));
    expect(out.written.join('')).toBe(`${painted.join('')}\n`);
    write('\u001b[8m\u001b[30;40m\u001b[7m\u001b[30m');
    expect(out.written.at(-1)).toBe('\\u001b[8m\\u001b[30;40m\\u001b[7m\\u001b[30m\n');
  });

  it('stays the same JSON', () => {
    const out = stream(false);
    const value = { body: '\u001b[2J \u007f\u009b1m “é”' };
    terminal(out, stream(false), {}).out(JSON.stringify(value));
    expect(out.written.join('')).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.parse(out.written.join(''))).toEqual(value);
  });
});
