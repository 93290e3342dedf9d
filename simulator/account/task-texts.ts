/**
 * Texts already written of tasks, each good until the task changes or any record whose name tasks show.
 * A living account changes a task a minute while its readers ask for thousands: most of them need not be written again.
 */

/** About 20 MB of texts. A larger account's other tasks are written each time. */
const MOST_TASKS = 20_000;

/** Changes of these show in no task; a change of anything else makes every text doubtful. */
const UNSEEN: ReadonlySet<string> = new Set([
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
  /** By manner of writing (role and quirks), then by task. */
  readonly #texts = new Map<string, Map<number, string>>();
  #kept = 0;

  /** Must be called for every change in the account. */
  changed(resource: string, id: number): void {
    if (resource === 'task') for (const texts of this.#texts.values()) this.#kept -= texts.delete(id) ? 1 : 0;
    else if (!UNSEEN.has(resource)) this.#clear();
  }

  /** The text of a task in a manner of writing, written now unless it is known. */
  text(manner: string, id: number, write: () => string): string {
    let texts = this.#texts.get(manner);
    if (texts === undefined) {
      // A new manner comes with a switched quirk or another role: the old texts are not needed soon.
      if (this.#texts.size >= 4) this.#clear();
      texts = new Map();
      this.#texts.set(manner, texts);
    }
    const known = texts.get(id);
    if (known !== undefined) return known;
    if (this.#kept >= MOST_TASKS) return write();
    // A text put together from two hundred pieces keeps all of them alive until it is copied into one.
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
