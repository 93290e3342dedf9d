/** Measures how the CPU time of a function grows with the length of its text: the exponent is 1 for linear time, 2 for quadratic. */

import { cpuMillis } from '../cpu-time.ts';
import type { TextReader } from './text-readers.ts';

export interface Growth {
  readonly exponent: number;
  /** The length at which it was measured. */
  readonly length: number;
  readonly millis: number;
}

const FIRST_LENGTH = 1024;
const STEP = 4;

/** A function that takes less at the full length does not delay anything. */
const NOISE_MS = 25;

/** Long enough for an exponent, short enough to go on. */
const ENOUGH_MS = 150;

let calls = 0;

async function time({ read }: TextReader, text: string): Promise<number> {
  // Each text differs, because some functions remember short texts.
  calls += 1;
  const input = `${text}${calls % 10}`;
  const start = cpuMillis();
  try {
    await read(input);
  } catch {
    // Rejecting the text is a valid result.
  }
  return cpuMillis() - start;
}

/** The best of several runs: garbage collection only ever adds time. */
async function bestTime(reader: TextReader, text: string, runs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) best = Math.min(best, await time(reader, text));
  return best;
}

/**
 * Lengthens the text step by step, up to `maxLength`. Undefined if the time stays within the noise; otherwise the growth over
 * the last step. Stops as soon as one call takes long, so that even a cubic function ends.
 */
export async function measureGrowth(
  reader: TextReader,
  make: (length: number) => string,
  maxLength: number,
  maxExponent: number,
): Promise<Growth | undefined> {
  const limit = Math.min(maxLength, reader.maxLength ?? maxLength);
  let length = FIRST_LENGTH;
  let millis = await time(reader, make(length));
  while (length < limit && millis < ENOUGH_MS) {
    length *= STEP;
    millis = await time(reader, make(length));
  }
  if (millis < NOISE_MS) return undefined;
  // A garbage collection looks like growth: measure again, with more runs, before it counts.
  let growth: Growth | undefined;
  for (const runs of millis < ENOUGH_MS ? [1, 3, 9, 15] : [1, 2, 3]) {
    const shorter = await bestTime(reader, make(length / STEP), runs * 2);
    millis = Math.min(millis, await bestTime(reader, make(length), runs));
    growth = { exponent: Math.log(millis / shorter) / Math.log(STEP), length, millis };
    if (millis < NOISE_MS || growth.exponent <= maxExponent) return undefined;
  }
  return growth;
}

const TOKENS: readonly string[] = [
  ...[
    '<',
    '>',
    '&',
    '<a ',
    '<!--',
    '-->',
    '<b>',
    '</b>',
    '<p><br />',
    '<img src=',
    'href = ',
    '</style ',
    '<script>',
    '&amp',
    '&#',
  ],
  ...[
    ' ',
    '\n',
    '\r',
    '\t',
    '\r\n',
    '\u2028',
    '"',
    "'",
    '`',
    '\\',
    '%',
    '%zz',
    '{{',
    '{%',
    '}}',
    '${',
    '{',
    '}',
    '[',
    ']',
    '](',
    '(',
  ],
  ...[
    '*',
    '_',
    '~',
    '|',
    ':',
    ',',
    ';',
    '=',
    '/',
    '.',
    '-',
    '+',
    '@',
    '#',
    '?',
    '0',
    '9',
    'a',
    'A',
    'x=',
    'é',
    'ß',
    '\u0301',
    '😀',
  ],
  ...[
    '\ud800',
    '\u202e',
    '\u200b',
    '\0',
    ',{"id":1',
    '"message": {',
    'v1,',
    'a, ',
    '- ',
    '  - a\n',
    'a: ',
    '&a ',
    '*a ',
  ],
];

export interface Shape {
  readonly name: string;
  readonly make: (length: number) => string;
}

function repeated(token: string, end: string): Shape {
  return {
    name: JSON.stringify(end === '' ? token : `${token}…${end}`),
    make: (length) => token.repeat(Math.ceil(length / token.length)).slice(0, length) + end,
  };
}

/** Repetitions of each token, alone and before a character that no pattern expects. */
export const SINGLE_SHAPES: readonly Shape[] = TOKENS.flatMap((token) => [repeated(token, ''), repeated(token, '!')]);

/** Repetitions of two tokens, and a run of one followed by a run of the other. */
export const PAIR_SHAPES: readonly Shape[] = TOKENS.flatMap((one) =>
  TOKENS.flatMap((other) => [
    repeated(one + other, ''),
    {
      name: JSON.stringify(`${one}…${other}…`),
      make: (length) => repeated(one, '').make(length / 2) + repeated(other, '').make(length / 2),
    },
  ]),
);
