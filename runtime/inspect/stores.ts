/** The stores that inspection and management commands use, embedded or in AWS. Types only; open-stores.ts opens them. */

import type { Clock, Instant } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { PortableData } from '../../core/ports/portable-data.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { History } from '../../core/ports/snapshot-store.ts';
import type { Environment } from '../config/config.ts';

/** The names of tables. */
export interface RestoredTables {
  readonly snapshots: string;
  readonly ledger: string;
}

export interface RestoreTablesOptions {
  /** The moment that they were restored to. @default - as AWS says */
  readonly asOf?: Instant;
  /** Called after each page with the number of items so far. */
  readonly progress: (items: number) => void;
}

export interface RestoreTablesReport {
  readonly asOf: Instant;
  readonly records: number;
  /** Other items: events, deliveries, subscriptions and so on. */
  readonly items: number;
}

export interface Stores extends DatabaseStores {
  /** @default - past transitions are not kept */
  readonly history?: History;
  readonly queue: Queue;
  /** All data, to move them. */
  readonly portable: PortableData;
  /** How many jobs are in the queue or being worked on, approximately. @default - they are part of the data */
  readonly countQueued?: () => Promise<number>;
  readonly secrets: Secrets;
  /** The address of the console's server, if the stack has one. @default - not known */
  readonly consoleUrl?: string;
  /** Returns the ARN of the user's identity in AWS. @default - not in AWS */
  readonly identify?: () => Promise<string>;
  /** Copies tables that AWS restored to a point in time into those of the stack. @default - not in AWS */
  readonly restoreTables?: (from: RestoredTables, options: RestoreTablesOptions) => Promise<RestoreTablesReport>;
  /** Removes the record of `tidings verify`. @default - not in AWS */
  readonly removeVerificationRecord?: () => Promise<void>;
  close(): void;
}

export interface StoresOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Whether to create the data directory if it does not exist. @default false */
  readonly make?: boolean;
  /** Receives warnings about the data file. @default - they are not shown */
  readonly terminal?: { err(line: string): void };
}
