/**
 * Reads the due moments of all sources together, once per poll. The index of the table has no key for the source, so a read for each
 * source would read the moments of all of them: with 50 sources 50 times as many units.
 */

import type { StageMoment } from '../../core/model/agenda.ts';
import { compareIds, type RecordKey } from '../../core/model/record.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';

/** More than any deployment has: what is read must be complete. */
const ALL_MOMENTS = 1_000_000;

/** Moments until then are read at once: sources are polled at different instants of the same invocation. */
const READ_AHEAD = 5 * MINUTE;

export interface ReadRange {
  /** Not included. '': from the first moment on. */
  readonly after: Instant;
  /** Included. */
  readonly until: Instant;
}

/** All moments of a source in a range, as they were read. */
export interface FoundMoments extends ReadRange {
  readonly moments: readonly StageMoment[];
}

export interface SharedDueReads {
  readonly snapshots: SnapshotStore;
  /** What was read of a source; undefined before the first read. */
  found(source: string): FoundMoments | undefined;
}

/**
 * For one invocation: the moments that it has read stay as they were, except for its own commits. A moment that another process commits
 * meanwhile is found by the next poll, which reads the last hour again.
 * @param given what another invocation has just read: only for the source whose moments they are
 */
export function shareDueReads(snapshots: SnapshotStore, given?: FoundMoments): SharedDueReads {
  const moments = new Map<string, Map<string, StageMoment>>();
  /** Records with moments that this invocation has changed: the index may still show them as before. */
  const committed = new Set<string>();
  let covered: ReadRange | undefined = given;
  let next: { readonly ranges: ReadRange[]; readonly done: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  const isCovered = ({ after, until }: ReadRange) =>
    covered !== undefined && covered.after <= after && until <= covered.until;

  const add = (moment: StageMoment) => {
    const ofSource = moments.get(moment.key.source) ?? new Map<string, StageMoment>();
    moments.set(moment.key.source, ofSource.set(nameOf(moment.key), moment));
  };

  for (const moment of given?.moments ?? []) add(moment);

  /** Reads what the ranges lack. */
  const read = async (ranges: readonly ReadRange[]): Promise<void> => {
    const wanted = union(ranges);
    const missing = covered === undefined ? [wanted] : missingParts(covered, wanted);
    for (const { after, until } of missing) {
      for (const moment of await snapshots.due(after === '' ? { until } : { after, until }, ALL_MOMENTS)) {
        if (!committed.has(nameOf(moment.key))) add(moment);
      }
    }
    covered = covered === undefined ? wanted : union([covered, wanted]);
  };

  /** Requests that come during a read are read together, after it. */
  const cover = (range: ReadRange): Promise<void> | undefined => {
    if (isCovered(range)) return undefined;
    const ahead = { ...range, until: plus(range.until, READ_AHEAD) };
    if (next !== undefined) {
      next.ranges.push(ahead);
      return next.done;
    }
    const ranges = [ahead];
    const start = () => {
      next = undefined;
      return read(ranges);
    };
    next = { ranges, done: last.then(start, start) };
    last = next.done;
    return next.done;
  };

  const shared: SnapshotStore = {
    ...snapshots,

    async due({ source, resource, resources, after = '', until }, limit) {
      await cover({ after, until });
      const sources = source === undefined ? [...moments.values()] : [moments.get(source) ?? new Map()];
      const isAsked = ({ key, at }: StageMoment) =>
        at > after &&
        at <= until &&
        (resource === undefined || key.resource === resource) &&
        resources?.has(key.resource) !== false;
      return sources
        .flatMap((ofSource) => [...ofSource.values()].filter(isAsked))
        .sort(byMoment)
        .slice(0, limit);
    },

    async commit(writes) {
      const outcomes = await snapshots.commit(writes);
      for (const [at, { snapshot }] of writes.entries()) {
        if (outcomes[at] !== 'committed') continue;
        const { key, nextMoment } = snapshot;
        const wasDue = moments.get(key.source)?.delete(nameOf(key)) === true;
        const isDue = nextMoment !== null && covered !== undefined && nextMoment <= covered.until;
        // Others are not remembered: a baseline may have 100,000.
        if (wasDue || isDue) committed.add(nameOf(key));
        if (isDue) add({ kind: 'stage', at: nextMoment, key });
      }
      return outcomes;
    },
  };
  return {
    snapshots: shared,
    found: (source) =>
      covered === undefined ? undefined : { ...covered, moments: [...(moments.get(source)?.values() ?? [])] },
  };
}

const nameOf = ({ source, resource, id }: RecordKey) => `${source}#${resource}#${id}`;

function union(ranges: readonly ReadRange[]): ReadRange {
  return ranges.reduce((a, b) => ({
    after: a.after < b.after ? a.after : b.after,
    until: a.until > b.until ? a.until : b.until,
  }));
}

/** What `wanted` has before and after `covered`. */
function missingParts(covered: ReadRange, wanted: ReadRange): readonly ReadRange[] {
  return [
    ...(wanted.after < covered.after ? [{ after: wanted.after, until: covered.after }] : []),
    ...(wanted.until > covered.until ? [{ after: covered.until, until: wanted.until }] : []),
  ];
}

function byMoment(a: StageMoment, b: StageMoment): number {
  return (
    compareText(a.at, b.at) ||
    compareText(a.key.source, b.key.source) ||
    compareText(a.key.resource, b.key.resource) ||
    compareIds(a.key.id, b.key.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
