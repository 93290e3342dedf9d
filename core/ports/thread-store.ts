/** Port: the thread of messages about one record, per subscription. See `Receipt.thread`. */

export interface StoredThread {
  readonly thread: string;
  /** Which of the subscriptions that had its name one after the other began it. @default - a version before this field stored it */
  readonly incarnation?: string;
}

export interface ThreadStore {
  get(subscription: string, subject: string): Promise<StoredThread | undefined>;
  /** Replaces the one that is stored, also that of an earlier incarnation. */
  save(subscription: string, subject: string, thread: StoredThread): Promise<void>;
}
