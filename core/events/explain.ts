/**
 * Tells what a transition holds and why it made the events it made, or none. Pure, for people who ask;
 * what the answer is read from is gathered in `core/delivery/explain.ts`.
 */

import type { TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { Cause, Change, Snapshot, Transition } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { sameValue } from '../snapshot/compare.ts';
import { changesOf, deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { joinNames } from './facts.ts';

/** Why a transition made no event. */
export type Silence =
  | 'first-look'
  | 'before-history'
  | 'baseline'
  | 'restaged'
  | 'labels'
  | 'appeared'
  | 'stage'
  | 'gone'
  | 'nothing';

export interface ExplainedTransition {
  readonly version: number;
  /** When it was committed. */
  readonly at: Instant;
  readonly cause: Cause;
  readonly occurred: Snapshot['occurred'];
  /** What changed in watched fields: what events are made of. */
  readonly changes: readonly Change[];
  /** Names of other records that moved: kept, never news. */
  readonly labels: readonly Change[];
  /** Fields nobody had seen before: more may be seen now, nothing happened. */
  readonly appeared: readonly string[];
  /** Facts of the stage that moved. */
  readonly stage: readonly Change[];
  readonly life: 'new' | 'deleted' | 'restored' | null;
  readonly events: readonly TidingsEvent[];
  /** Null when there are events. */
  readonly silence: { readonly because: Silence; readonly words: string } | null;
}

/** `custom`: event types of the config's own. */
export function explainTransition(transition: Transition, custom: readonly EventType[] = []): ExplainedTransition {
  const { before, after } = transition;
  // Without the state before it, nobody can tell what was new in a later version.
  const events = before === null && after.version > 1 ? [] : deriveEvents(transition, custom);
  const told = {
    version: after.version,
    at: after.committedAt,
    cause: after.cause,
    occurred: after.occurred,
    changes: changesOf(transition),
    labels: labelsOf(transition),
    appeared: appearedIn(transition),
    stage: before === null ? [] : differences(before.stage, after.stage),
    life: lifeOf(transition),
    events,
  };
  const because = silenceOf(transition, told);
  return { ...told, silence: events.length > 0 ? null : { because, words: wordsOf(because, told) } };
}

/**
 * The transitions of a record without gaps. The feed leaves out what is never news (baselines); the states they led to
 * are still known, from the next transition or the snapshot itself.
 */
export function withoutGaps(transitions: readonly Transition[], current: Snapshot | undefined): readonly Transition[] {
  const whole: Transition[] = [];
  let last: Snapshot | null = null;
  const reach = (state: Snapshot | null | undefined) => {
    if (state === null || state === undefined || (last !== null && last.version >= state.version)) return;
    whole.push({ before: last, after: state });
    last = state;
  };
  for (const transition of transitions) {
    reach(transition.before);
    whole.push(transition);
    last = transition.after;
  }
  reach(current);
  return whole;
}

type Told = Omit<ExplainedTransition, 'silence'>;

function silenceOf({ before, after }: Transition, { changes, labels, appeared, stage }: Told): Silence {
  if (before === null && after.cause === 'baseline' && after.version === 1) return 'first-look';
  if (before === null) return 'before-history';
  if (after.cause === 'baseline') return changes.length + labels.length > 0 ? 'baseline' : 'restaged';
  if (after.deletedAt !== null) return 'gone';
  if (labels.length > 0) return 'labels';
  if (appeared.length > 0) return 'appeared';
  return stage.length > 0 ? 'stage' : 'nothing';
}

function wordsOf(because: Silence, { labels, appeared, stage, version }: Told): string {
  const names = (moved: readonly Change[]) => joinNames(moved.map(({ field }) => field));
  switch (because) {
    case 'first-look':
      return 'it was there at the first look, which is silent';
    case 'before-history':
      return `what led to version ${version} is not kept`;
    case 'baseline':
      return 'the first look was still going on, which is silent';
    case 'restaged':
      return 'the zone or the rules changed: days were reckoned anew, which is no news of the record';
    case 'labels':
      return `only names that belong to other records moved (${names(labels)})`;
    case 'appeared':
      return `only fields came into sight that could not be seen before (${joinNames(appeared)})`;
    case 'stage':
      return `only what the day makes of it moved (${names(stage)}), and no event is made of that`;
    case 'gone':
      return 'it was gone already';
    case 'nothing':
      return 'nothing moved but its place on the agenda';
  }
}

function lifeOf({ before, after }: Transition): ExplainedTransition['life'] {
  if (before === null) return after.version === 1 ? 'new' : null;
  if (before.deletedAt === null) return after.deletedAt === null ? null : 'deleted';
  return after.deletedAt === null ? 'restored' : null;
}

function labelsOf({ before, after }: Transition): readonly Change[] {
  const fields: Readonly<Record<string, { readonly role: string }>> = resourceOf(after.key.resource)?.fields ?? {};
  return differences(before?.record ?? {}, after.record).filter(({ field }) => fields[field]?.role === 'label');
}

function appearedIn({ before, after }: Transition): readonly string[] {
  if (before === null) return [];
  const fields: Readonly<Record<string, { readonly role: string }>> = resourceOf(after.key.resource)?.fields ?? {};
  return Object.keys(after.record).filter(
    (field) => before.record[field] === undefined && fields[field]?.role !== 'volatile',
  );
}

/** What is known on both sides and not the same. */
function differences(before: Fields, after: Fields): Change[] {
  return Object.entries(after).flatMap(([field, to]) => {
    const from = before[field];
    return from === undefined || sameValue(from, to) ? [] : [{ field, from, to }];
  });
}
