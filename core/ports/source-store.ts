/** Port: the sources that people add while Tidings runs, beside those that the config declares. It never sees a token. */

import type { Instant } from '../model/time.ts';

export interface StoredSource {
  readonly name: string;
  /** As it was given: one entry of `sources` in a config. Its token is a reference. JSON without undefined values. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same with all defaults: functions in AWS do not contain the schema. JSON without undefined values. */
  readonly packed: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
  /** Who added it: the name of a key, or of a person. */
  readonly createdBy: string;
  readonly changedAt: Instant;
  readonly changedBy: string;
  /** Identifies the request with an `Idempotency-Key` that added it. @default - it had none */
  readonly request?: string;
  /** 1, and one more with every change. */
  readonly version: number;
}

export interface SourceStore {
  /** Consistent: sees every completed write. */
  get(name: string): Promise<StoredSource | undefined>;
  /** Sorted by name. Consistent. */
  list(): Promise<readonly StoredSource[]>;
  /** Returns false if one with this name is stored. Two concurrent calls add one. */
  add(source: StoredSource): Promise<boolean>;
  /** Replaces the stored one with the version before that of `source`. Returns false if another version, or none, is stored. */
  update(source: StoredSource): Promise<boolean>;
  /** Returns false if this version of it is not stored. */
  remove(name: string, version: number): Promise<boolean>;
  /** Differs from that of any earlier state of the list. One small read. */
  revision(): Promise<number>;
}
