/**
 * Caches the written form of tasks until the task, or a record whose name tasks show, changes.
 * An active account changes a task a minute while readers request thousands, so most need not be written again.
 */

/** About 20 MB of texts. A larger account's other tasks are written each time. */
const MAX_TASKS = 20_000;

/** Changes of these show in no task; any other change invalidates every text. */
const NOT_IN_TASKS: ReadonlySet<string> = new Set([
  'task',
  'time',
  'timer',
  'tasknote',
  'invoice',
  'invoiceitem',
  'invoicenote',
  'payment',
  'expense',
  'document',
  'milestonenote',
  'projectnote',
  'projectteam',
  'personcontact',
]);

export class TaskTexts {
  /** By format (role and quirks), then by task. */
  readonly #texts = new Map<string, Map<number, string>>();
  #kept = 0;

  /** Must be called for every change in the account. */
  changed(resource: string, id: number): void {
    if (resource === 'task') for (const texts of this.#texts.values()) this.#kept -= texts.delete(id) ? 1 : 0;
    else if (!NOT_IN_TASKS.has(resource)) this.#clear();
  }

  /** Returns the text of a task in a format, from the cache if possible. */
  text(manner: string, id: number, write: () => string): string {
    let texts = this.#texts.get(manner);
    if (texts === undefined) {
      // The format changes with a quirk or another role; the old texts will not be needed soon.
      if (this.#texts.size >= 4) this.#clear();
      texts = new Map();
      this.#texts.set(manner, texts);
    }
    const cached = texts.get(id);
    if (cached !== undefined) return cached;
    if (this.#kept >= MAX_TASKS) return write();
    // A concatenated string keeps its two hundred parts in memory until it is flattened.
    const text = Buffer.from(write()).toString();
    texts.set(id, text);
    this.#kept++;
    return text;
  }

  #clear(): void {
    this.#texts.clear();
    this.#kept = 0;
  }
}
