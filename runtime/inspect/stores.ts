/** The stores that inspection and management commands use, embedded or in AWS. Types only; open-stores.ts opens them. */

import type { Clock } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { History } from '../../core/ports/snapshot-store.ts';
import type { Environment } from '../config/config.ts';

export interface Stores extends DatabaseStores {
  /** @default - past transitions are not kept */
  readonly history?: History;
  readonly queue: Queue;
  readonly secrets: Secrets;
  /** The address of the console's server, if the stack has one. @default - not known */
  readonly consoleUrl?: string;
  /** Returns the ARN of the user's identity in AWS. @default - not in AWS */
  readonly identify?: () => Promise<string>;
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
