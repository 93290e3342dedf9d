/** Measures how the CPU time of a function grows with the length of its text: the exponent is 1 for linear time, 2 for quadratic. */

import { GCProfiler } from 'node:v8';
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
const NOISE_MS = 50;

/** Long enough for an exponent, short enough to go on. */
const ENOUGH_MS = 150;

/** The clock of CPU time advances in steps of up to 4 ms: a total of this length is exact to a few percent. */
const TOTAL_MS = 100;

/** Other work on the machine looks like growth: measured again, with longer totals, before it counts. */
const TOTAL_FACTORS = [1, 2, 4];

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

export interface CallTime {
  readonly millis: number;
  /** Without garbage collections. They take more time per object if a text is so long that its objects outlive one of them. */
  readonly own: number;
}

/** The CPU time of one call: the mean of as many calls as take `total` milliseconds. */
async function timePerCall(reader: TextReader, text: string, total: number): Promise<CallTime> {
  const collections = new GCProfiler();
  collections.start();
  const [start, startedAt] = [cpuMillis(), performance.now()];
  let count = 0;
  let millis = 0;
  do {
    await call(reader, text);
    count += 1;
    millis = cpuMillis() - start;
  } while (millis < total);
  const elapsed = performance.now() - startedAt;
  const collecting = collections.stop().statistics.reduce((sum, { cost }) => sum + cost / 1000, 0);
  // The profiler counts elapsed time: on a busy machine a collection takes longer than its CPU time.
  const collectingCpu = collecting * Math.min(1, millis / elapsed);
  return { millis: millis / count, own: Math.max(0, millis - collectingCpu) / count };
}

/** Less than this part of the time is within the error of the measured collections. */
const MIN_OWN_PART = 0.1;

/** The exponent between a text and one that is `SPAN` times shorter. Collections count where little else is left. */
export function exponentOf(shorter: CallTime, longer: CallTime): number {
  const isMeasured = ({ millis, own }: CallTime) => own >= MIN_OWN_PART * millis;
  const kind = isMeasured(shorter) && isMeasured(longer) ? 'own' : 'millis';
  return Math.log(longer[kind] / shorter[kind]) / Math.log(SPAN);
}

/** Not a number is no exponent: it is as bad as a high one. */
export function isTooSlow({ exponent, millis }: Pick<Growth, 'exponent' | 'millis'>): boolean {
  return !(exponent <= MAX_EXPONENT && millis <= MAX_MS);
}

/**
 * Lengthens the text step by step, up to `maxLength`, and returns the growth up to the longest. Stops as soon as one call
 * takes long, so that even a cubic function ends.
 */
async function measureGrowth(reader: TextReader, { make }: TextShape, maxLength: number): Promise<Growth> {
  const limit = Math.min(maxLength, reader.maxLength ?? maxLength);
  const noise = reader.maxMillis ?? NOISE_MS;
  let length = FIRST_LENGTH;
  let { millis } = await timePerCall(reader, make(length), 0);
  while (length < limit && millis < ENOUGH_MS) {
    length *= STEP;
    ({ millis } = await timePerCall(reader, make(length), 0));
  }
  let exponent = 0;
  if (millis < noise) return { exponent, length, millis };
  let fastest: CallTime = { millis, own: Number.POSITIVE_INFINITY };
  for (const factor of TOTAL_FACTORS) {
    const shorter = await timePerCall(reader, make(length / SPAN), TOTAL_MS * factor);
    const longer = await timePerCall(reader, make(length), TOTAL_MS * factor);
    // Other work on the machine only ever adds time.
    fastest = { millis: Math.min(fastest.millis, longer.millis), own: Math.min(fastest.own, longer.own) };
    millis = fastest.millis;
    if (millis < noise) return { exponent: 0, length, millis };
    exponent = exponentOf(shorter, fastest);
    if (exponent <= MAX_EXPONENT) break;
  }
  return { exponent, length, millis };
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

/** A text of any length. */
export interface TextShape {
  readonly name: string;
  readonly make: (length: number) => string;
}

function repeated(token: string, end: string): TextShape {
  return {
    name: JSON.stringify(end === '' ? token : `${token}…${end}`),
    make: (length) => token.repeat(Math.ceil(length / token.length)).slice(0, length) + end,
  };
}

/** Repetitions of each token, alone and before a character that no pattern expects. */
const SINGLE_SHAPES: readonly TextShape[] = TOKENS.flatMap((token) => [repeated(token, ''), repeated(token, '!')]);

/** Repetitions of two tokens, and a run of one followed by a run of the other. */
const PAIR_SHAPES: readonly TextShape[] = TOKENS.flatMap((one) =>
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
  return measureShapes(reader, shapes, maxLength);
}

/** Measures a function with each of these texts, up to this length. */
export async function measureShapes(
  reader: TextReader,
  shapes: readonly TextShape[],
  maxLength: number,
): Promise<GrowthReport> {
  const slow: string[] = [];
  let longest = 0;
  for (const shape of shapes) {
    const growth = await measureGrowth(reader, shape, maxLength);
    const { exponent, length, millis } = growth;
    longest = Math.max(longest, millis);
    if (!isTooSlow(growth)) continue;
    const figures = `exponent ${exponent.toFixed(2)}, ${millis.toFixed(0)} ms for ${length} characters`;
    slow.push(`${reader.name} of ${shape.name}: ${figures}`);
  }
  return { slow, longest };
}
