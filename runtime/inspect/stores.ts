/** What commands that look and manage get to work with, wherever it is kept. Words only; who opens what is in open-stores.ts. */

import type { Clock } from '../../core/model/time.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { History, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Environment } from '../config/config.ts';

export interface Stores {
  readonly ledger: Ledger;
  readonly snapshots: SnapshotStore;
  /** @default - transitions are not kept there */
  readonly history?: History;
  readonly queue: Queue;
  readonly secrets: Secrets;
  close(): void;
}

export interface StoresOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Whether a data directory is made where there is none. @default false */
  readonly make?: boolean;
}
