/** Measures how the CPU time of a function grows with the length of its text: the exponent is 1 for linear time, 2 for quadratic. */

import { cpuMillis } from '../cpu-time.ts';
import { seededRandom } from './seeded-random.ts';
import type { TextReader } from './text-readers.ts';

interface Growth {
  /** 0 if the time stays within the noise. */
  readonly exponent: number;
  /** The length at which it was measured. */
  readonly length: number;
  readonly millis: number;
}

const MAX_EXPONENT = 1.2;

/** CPU time for one text of any length that is tried. */
const MAX_MS = 2000;

const FIRST_LENGTH = 1024;
const STEP = 4;

/** The exponent is measured between a text and one that is shorter by this factor. A smaller one would show the sizes of the CPU's caches. */
const SPAN = 16;

/** A function that takes less at the full length does not delay anything. */
const NOISE_MS = 100;

/** Long enough for an exponent, short enough to go on. */
const ENOUGH_MS = 150;

/** Calls are repeated for this long, and the fastest counts: a garbage collection and other work only ever add time. */
const REPEAT_MS = 500;

let calls = 0;

async function call({ read }: TextReader, text: string): Promise<void> {
  // Each text differs, because some functions remember short texts.
  calls += 1;
  try {
    await read(`${text}${calls % 10}`);
  } catch {
    // Rejecting the text is a valid result.
  }
}

/**
 * The time of the fastest of all calls within `total` milliseconds. The clock of CPU time advances in steps of 4 ms, which is
 * exact enough for a long text. A call with a short one is rarely interrupted.
 */
async function fastestCall(reader: TextReader, text: string, clock: () => number, total = 0): Promise<number> {
  const first = clock();
  let fastest = Number.POSITIVE_INFINITY;
  let end = first;
  do {
    const start = end;
    await call(reader, text);
    end = clock();
    fastest = Math.min(fastest, end - start);
  } while (end - first < total);
  return fastest;
}

/**
 * Lengthens the text step by step, up to `maxLength`, and returns the growth up to the longest. Stops as soon as one call
 * takes long, so that even a cubic function ends.
 */
async function measureGrowth(reader: TextReader, { make }: Shape, maxLength: number): Promise<Growth> {
  const limit = Math.min(maxLength, reader.maxLength ?? maxLength);
  let length = FIRST_LENGTH;
  let millis = await fastestCall(reader, make(length), cpuMillis);
  while (length < limit && millis < ENOUGH_MS) {
    length *= STEP;
    millis = await fastestCall(reader, make(length), cpuMillis);
  }
  if (millis < NOISE_MS) return { exponent: 0, length, millis };
  millis = await fastestCall(reader, make(length), cpuMillis, REPEAT_MS);
  if (millis < NOISE_MS) return { exponent: 0, length, millis };
  const shorter = await fastestCall(reader, make(length / SPAN), () => performance.now(), REPEAT_MS / 2);
  return { exponent: Math.log(millis / shorter) / Math.log(SPAN), length, millis };
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

interface Shape {
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
const SINGLE_SHAPES: readonly Shape[] = TOKENS.flatMap((token) => [repeated(token, ''), repeated(token, '!')]);

/** Repetitions of two tokens, and a run of one followed by a run of the other. */
const PAIR_SHAPES: readonly Shape[] = TOKENS.flatMap((one) =>
  TOKENS.flatMap((other) => [
    repeated(one + other, ''),
    {
      name: JSON.stringify(`${one}…${other}…`),
      make: (length) => repeated(one, '').make(length / 2) + repeated(other, '').make(length / 2),
    },
  ]),
);

interface GrowthOptions {
  readonly maxLength: number;
  /** Number of pairs of tokens tried with each function. */
  readonly pairs: number;
  readonly seed: number;
}

interface GrowthReport {
  /** The texts with which the function exceeds the exponent or takes too long, one line each. */
  readonly slow: readonly string[];
  /** Milliseconds of the slowest call. */
  readonly longest: number;
}

export async function runGrowth(reader: TextReader, { maxLength, pairs, seed }: GrowthOptions): Promise<GrowthReport> {
  const random = seededRandom(seed);
  const shapes = [...SINGLE_SHAPES, ...Array.from({ length: pairs }, () => random.pick(PAIR_SHAPES) ?? []).flat()];
  const slow: string[] = [];
  let longest = 0;
  for (const shape of shapes) {
    const { exponent, length, millis } = await measureGrowth(reader, shape, maxLength);
    longest = Math.max(longest, millis);
    if (exponent <= MAX_EXPONENT && millis <= MAX_MS) continue;
    const figures = `exponent ${exponent.toFixed(2)}, ${millis.toFixed(0)} ms for ${length} characters`;
    slow.push(`${reader.name} of ${shape.name}: ${figures}`);
  }
  return { slow, longest };
}
