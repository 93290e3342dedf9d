/** Logs commits under a name that poll, announce and deliver share, so that one log search shows a change from commit to delivery. */

import type { TidingsEvent } from '../../core/model/event.ts';
import { traceOfSnapshot } from '../../core/model/trace.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Invocation } from './lambda-handler.ts';

/** For example `main/task/812 v9`. Each version is committed once. */
export function changeName({ source, subject, data }: Pick<TidingsEvent, 'source' | 'subject' | 'data'>): string {
  return `${source.slice(source.lastIndexOf('/') + 1)}/${subject} v${data.version}`;
}

/** Logs and traces every commit except baselines: they cause no events and may have 100,000 records. */
export function logCommits(
  snapshots: SnapshotStore,
  { log, id, tracer }: Pick<Invocation, 'log' | 'id' | 'tracer'>,
): SnapshotStore {
  const traced = tracer?.traceCommits(snapshots) ?? snapshots;
  return {
    ...traced,
    async commit(writes) {
      const outcomes = await traced.commit(writes);
      const committed = writes
        .map(({ snapshot }) => snapshot)
        .filter(({ cause }, at) => outcomes[at] === 'committed' && cause !== 'baseline');
      const changes = committed.map(({ key, version }) => `${key.source}/${key.resource}/${key.id} v${version}`);
      const traces = tracer === undefined ? {} : { traces: committed.map(traceOfSnapshot) };
      if (changes.length > 0) log.info('committed', { cycle: id, changes, ...traces });
      return outcomes;
    },
  };
}
