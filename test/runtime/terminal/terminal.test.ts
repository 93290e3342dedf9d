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
