/** Port: the thread of messages about one record, per subscription. See `Receipt.thread`. */

export interface ThreadStore {
  get(subscription: string, subject: string): Promise<string | undefined>;
  save(subscription: string, subject: string, thread: string): Promise<void>;
}
