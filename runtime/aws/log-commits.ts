/** Logs commits under a name that poll, announce and deliver share, so that one log search shows a change from commit to delivery. */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Invocation } from './lambda-handler.ts';

/** For example `main/task/812 v9`. Each version is committed once. */
export function changeName({ source, subject, data }: Pick<TidingsEvent, 'source' | 'subject' | 'data'>): string {
  return `${source.slice(source.lastIndexOf('/') + 1)}/${subject} v${data.version}`;
}

/** Logs every commit except baselines: they cause no events and may have 100,000 records. */
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
