/**
 * Decides which missing records are requested next, and which answers are remembered. Every record gets its turn, also
 * where the state cannot hold all of them. Pure.
 */

import { compareIds } from '../../model/record.ts';
import type { ScanState, UnlistedRecord } from '../../model/scan.ts';
import type { ScanContext } from './scan-context.ts';

/** Records requested per scan, one request each. The rest stays dirty and is requested by the next sweep. */
export const MAX_REQUESTS = 50;

/** Remembered answers, so that the state fits its item. The records beyond take turns. */
const MAX_UNLISTED = 1000;

export interface Missing {
  readonly ids: readonly string[];
  /** How many of the first ids the last sweep listed. */
  readonly vanished: number;
  /** How many others are missing. */
  readonly more: number;
}

/** The answers that fit the state. One that a decision depends on goes first. */
export function rememberAnswers(
  unlisted: ReadonlyMap<string, UnlistedRecord>,
): readonly (readonly [string, UnlistedRecord])[] {
  const answers = [...unlisted];
  const pending = answers.filter(([, { answer }]) => answer !== 'exists');
  return [...pending, ...answers.filter(([, { answer }]) => answer === 'exists')].slice(0, MAX_UNLISTED);
}

interface OverflowFacts {
  readonly isHeld: boolean;
  /** A sample showed that the records exist. */
  readonly isListFault: boolean;
  /** Answers that are not remembered. */
  readonly forgotten: number;
  /** Missing records without an answer that do not wait for the next sweep either. */
  readonly unanswered: number;
  /** The last record that was requested in turn. @default - none was */
  readonly asked: string | undefined;
}

export function nextOverflow(
  before: ScanState['overflow'] = null,
  { isHeld, isListFault, forgotten, unanswered, asked }: OverflowFacts,
): NonNullable<ScanState['overflow']> | null {
  // What the brake holds now is none of them.
  if (isHeld) return before;
  const count = unanswered + forgotten;
  const isNeeded = isListFault || before !== null || forgotten > 0;
  return isNeeded && count > 0 ? { count, askedUpTo: asked ?? before?.askedUpTo ?? null } : null;
}

interface Turn {
  /** In the order in which they are requested. */
  readonly ids: readonly string[];
  /** How many of them have no answer. */
  readonly unanswered: number;
  /** Those beyond the remembered ones. */
  readonly inOverflow: ReadonlySet<string>;
}

/**
 * Records that wait since the last sweep first, then others without an answer, then those whose last answer is the oldest.
 * Those beyond the remembered ones take turns.
 */
export function nextInTurn(
  { ids, vanished }: Missing,
  unlisted: ReadonlyMap<string, UnlistedRecord>,
  { state: { overflow = null, waiting = [] }, startedAt }: ScanContext,
): Turn {
  const again = [...unlisted]
    .filter(([, { askAt }]) => askAt <= startedAt)
    .sort(([, a], [, b]) => (a.askAt < b.askAt ? -1 : 1))
    .map(([id]) => id);
  const isWaiting = new Set(waiting);
  const isUnanswered = (id: string) => !unlisted.has(id) && !isWaiting.has(id);
  const first = ids.filter((id) => isWaiting.has(id) && !unlisted.has(id));
  const unanswered = [...first, ...ids.filter(isUnanswered)];
  if (overflow === null)
    return { ids: [...unanswered, ...again], unanswered: unanswered.length, inOverflow: new Set() };
  const { askedUpTo } = overflow;
  const others = ids.slice(vanished).filter(isUnanswered).sort(compareIds);
  const isNext = (id: string) => askedUpTo === null || compareIds(id, askedUpTo) > 0;
  const inTurn = [...others.filter(isNext), ...others.filter((id) => !isNext(id))];
  const half = MAX_REQUESTS / 2;
  const all = [
    ...first,
    ...ids.slice(0, vanished).filter(isUnanswered),
    ...again.slice(0, half),
    ...inTurn,
    ...again.slice(half),
  ];
  return { ids: all, unanswered: unanswered.length, inOverflow: new Set(inTurn) };
}
