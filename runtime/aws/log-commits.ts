/**
 * What a change is called in the logs of all functions: the one that commits it, the one that announces it and the one
 * that delivers it write the same name, so that one search shows its whole way. Knows the log and nothing of the work.
 */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Invocation } from './lambda-handler.ts';

/** `main/task/812 v9`: a version is committed once, and its events follow from it alone. */
export function changeName({ source, subject, data }: Pick<TidingsEvent, 'source' | 'subject' | 'data'>): string {
  return `${source.slice(source.lastIndexOf('/') + 1)}/${subject} v${data.version}`;
}

/** Tells of every commit. Not of a baseline: nothing follows from it, and it may have a hundred thousand records. */
export function logCommits(snapshots: SnapshotStore, { log, id }: Pick<Invocation, 'log' | 'id'>): SnapshotStore {
  return {
    ...snapshots,
    async commit(writes) {
      const outcomes = await snapshots.commit(writes);
      const changes = writes
        .filter(({ snapshot }, at) => outcomes[at] === 'committed' && snapshot.cause !== 'baseline')
        .map(({ snapshot: { key, version } }) => `${key.source}/${key.resource}/${key.id} v${version}`);
      if (changes.length > 0) log.info('committed', { cycle: id, changes });
      return outcomes;
    },
  };
}
