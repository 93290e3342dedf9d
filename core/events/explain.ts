/**
 * Explains a transition: what changed, which events it caused, or why it caused none. Pure; `core/delivery/explain.ts`
 * reads the data from the stores.
 */

import type { TidingsEvent } from '../model/event.ts';
import { isSameValue } from '../model/json.ts';
import type { Fields } from '../model/record.ts';
import { type Cause, type Change, type Snapshot, type Transition, versionBeforeRestores } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { roleOf } from '../resources/field-role.ts';
import { OWN_RECORD } from '../snapshot/compare.ts';
import { changesOf, deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { joinNames } from './facts.ts';

/** Why a transition caused no event. */
type Silence =
  | 'first-look'
  | 'before-history'
  | 'baseline'
  | 'restaged'
  | 'sight'
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
  /** The changes of watched fields, which events are derived from. */
  readonly changes: readonly Change[];
  /** Changed names of other records. They cause no events. */
  readonly labels: readonly Change[];
  /** Fields that were not visible before. They cause no events. */
  readonly appeared: readonly string[];
  /** The changes of the stage. */
  readonly stage: readonly Change[];
  readonly life: 'new' | 'deleted' | 'restored' | null;
  readonly events: readonly TidingsEvent[];
  /** Null when there are events. */
  readonly silence: { readonly because: Silence; readonly words: string } | null;
}

/** @param custom the event types of the config. */
export function explainTransition(transition: Transition, custom: readonly EventType[] = []): ExplainedTransition {
  const { before, after } = transition;
  // Without the previous state of a later version, its changes are unknown.
  const events = before === null && !isFirstVersion(after) ? [] : deriveEvents(transition, custom);
  const facts = {
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
  const because = silenceOf(transition, facts);
  return { ...facts, silence: events.length > 0 ? null : { because, words: describeSilence(because, facts) } };
}

/**
 * The transitions of a record without gaps. The feed has no baselines, because they cause no events; the states they led
 * to are restored from the next transition or from the current snapshot.
 */
export function withoutGaps(transitions: readonly Transition[], current: Snapshot | undefined): readonly Transition[] {
  const complete: Transition[] = [];
  let last: Snapshot | null = null;
  const addIfMissing = (state: Snapshot | null | undefined) => {
    if (state === null || state === undefined || isReached(last, state)) return;
    complete.push({ before: last, after: state });
    last = state;
  };
  for (const transition of transitions) {
    addIfMissing(transition.before);
    complete.push(transition);
    last = transition.after;
  }
  addIfMissing(current);
  return complete;
}

type TransitionFacts = Omit<ExplainedTransition, 'silence'>;

function silenceOf({ before, after }: Transition, { changes, labels, appeared, stage }: TransitionFacts): Silence {
  if (before === null && after.cause === 'baseline' && isFirstVersion(after)) return 'first-look';
  if (before === null) return 'before-history';
  if (after.cause === 'baseline' && (before.deletedAt === null) !== (after.deletedAt === null)) return 'sight';
  if (after.cause === 'baseline') return changes.length + labels.length > 0 ? 'baseline' : 'restaged';
  if (after.deletedAt !== null) return 'gone';
  if (labels.length > 0) return 'labels';
  if (appeared.length > 0) return 'appeared';
  return stage.length > 0 ? 'stage' : 'nothing';
}

function describeSilence(because: Silence, { labels, appeared, stage, version }: TransitionFacts): string {
  const names = (changed: readonly Change[]) => joinNames(changed.map(({ field }) => field));
  switch (because) {
    case 'first-look':
      return 'it existed at the baseline, which sends no events';
    case 'before-history':
      return `the history before version ${version} is no longer stored`;
    case 'baseline':
      return 'the baseline was still being read, which sends no events';
    case 'restaged':
      return 'the time zone or the rules changed, so the stage was computed again; the record did not change';
    case 'sight':
      return 'the token stopped showing it or shows it again; the record may not have changed';
    case 'labels':
      return `only names of other records changed (${names(labels)})`;
    case 'appeared':
      return `only fields that were hidden before became visible (${joinNames(appeared)})`;
    case 'stage':
      return `only time-derived state changed (${names(stage)}); no event type covers it`;
    case 'gone':
      return 'it was already deleted';
    case 'nothing':
      return 'nothing changed except its next due time';
  }
}

function lifeOf({ before, after }: Transition): ExplainedTransition['life'] {
  if (before === null) return isFirstVersion(after) ? 'new' : null;
  // Out of sight is not deleted.
  if (after.cause === 'baseline') return null;
  if (before.deletedAt === null) return after.deletedAt === null ? null : 'deleted';
  return after.deletedAt === null ? 'restored' : null;
}

/** A restored backup raised the version of the same state. */
function isReached(last: Snapshot | null, state: Snapshot): boolean {
  return last !== null && versionBeforeRestores(last) >= versionBeforeRestores(state);
}

const isFirstVersion = (snapshot: Snapshot) => versionBeforeRestores(snapshot) === 1;

function labelsOf({ before, after }: Transition): readonly Change[] {
  const roles = resourceOf(after.key.resource) ?? OWN_RECORD;
  const isLabel = ({ field }: Change) => roleOf(roles, field, after.record) === 'label';
  return differences(before?.record ?? {}, after.record).filter(isLabel);
}

function appearedIn({ before, after }: Transition): readonly string[] {
  if (before === null) return [];
  const fields: Readonly<Record<string, { readonly role: string }>> = resourceOf(after.key.resource)?.fields ?? {};
  return Object.keys(after.record).filter(
    (field) => before.record[field] === undefined && fields[field]?.role !== 'volatile',
  );
}

/** Fields that are known on both sides and differ. */
function differences(before: Fields, after: Fields): Change[] {
  return Object.entries(after).flatMap(([field, to]) => {
    const from = before[field];
    return from === undefined || isSameValue(from, to) ? [] : [{ field, from, to }];
  });
}
