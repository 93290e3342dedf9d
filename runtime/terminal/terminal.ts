/** The output of a command: colours and progress bars appear only on a terminal. */

import { styleText } from 'node:util';

export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  /** Writes results to stdout. */
  out(line: string): void;
  /** Writes errors and notes to stderr. */
  err(line: string): void;
  paint(style: Style, text: string): string;
  /** Redraws the progress line on stderr, on terminals only. An empty text clears it. */
  progress(text: string): void;
}

/** Control characters but line ends and tabs, with the code of a colour that may follow. */
const CONTROL = /(?!\r\n|[\n\t])(\p{Cc})(\[[\d;]*m)?/gu;
/** Those of `paint`: others hide text. */
const COLOUR = /^\[(?:0|1|2|22|3[123569])m$/;
const ESCAPE = '\u001b';

/**
 * Makes them visible, in a form that means the same in JSON. Colours stay. With the others, the response of a receiver could write to the
 * clipboard, or over other lines.
 */
function showControls(text: string): string {
  return text.replace(CONTROL, (found, control: string, colour = '') => {
    if (control === ESCAPE && COLOUR.test(colour)) return found;
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}${colour}`;
  });
}

export function terminal(stdout: Stream, stderr: Stream, environment: { readonly NO_COLOR?: string }): Terminal {
  const coloured = stdout.isTTY === true && !environment.NO_COLOR;
  let drawn = false;
  const clear = () => {
    if (drawn) stderr.write('\r\u001b[K');
    drawn = false;
  };
  return {
    out(line) {
      clear();
      stdout.write(`${showControls(line)}\n`);
    },
    err(line) {
      clear();
      stderr.write(`${showControls(line)}\n`);
    },
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    progress(text) {
      if (stderr.isTTY !== true) return;
      clear();
      if (text === '') return;
      // Some terminals report a width of 0.
      stderr.write(text.slice(0, (stderr.columns || 80) - 1));
      drawn = true;
    },
  };
}

/** `[#########------------]  45 %  45,000 of 100,000` */
export function progressBar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const width = 24;
  const filled = Math.round(share * width);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent} %  ${formatNumber(done)} of ${formatNumber(total)}`;
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

/** `1 event`, `3 events` */
export function pluralize(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** Pads the cells of each column but the last to the widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** How often each word occurs, most frequent first. */
export function countEach(words: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** `5 task.overdue, 2 task.due_soon` */
export function formatCounts(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([word, count]) => `${formatNumber(count)} ${word}`).join(', ');
}

/** Wraps a text at word boundaries to lines of at most this width. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
