/** Port: small documents of the Slack app, by kind and id: work to do, drafts, requests to admins, linked API tokens. */

import type { Instant } from '../model/time.ts';

/** JSON without undefined values. */
export type DocumentBody = Readonly<Record<string, unknown>>;

export interface DocumentStore {
  /** Consistent: sees every completed write. */
  get(kind: string, id: string): Promise<DocumentBody | undefined>;
  /**
   * Adds it unless one with this id is stored. Returns whether it was added. Two concurrent calls add one.
   * @param expiresAt it may be deleted from then on. Null: never
   */
  add(kind: string, id: string, body: DocumentBody, expiresAt: Instant | null): Promise<boolean>;
  /**
   * Changes the stored document atomically, and returns the new one; undefined if there is none. Writes nothing if `change`
   * returns the same object. An error of `change` is thrown, and nothing is written.
   * @param expiresAt of the new one. @default - as before
   */
  update(
    kind: string,
    id: string,
    change: (stored: DocumentBody) => DocumentBody,
    expiresAt?: Instant,
  ): Promise<DocumentBody | undefined>;
  /** Adds or replaces it. */
  save(kind: string, id: string, body: DocumentBody, expiresAt: Instant | null): Promise<void>;
  /** Returns false if there was none. */
  remove(kind: string, id: string): Promise<boolean>;
  /** Deletes documents that expired before this instant, where they do not expire by themselves. */
  prune(now: Instant): Promise<void>;
}
