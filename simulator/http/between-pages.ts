/**
 * Changes the account between two pages of one reader: deletes a record they have read, or adds one.
 * Tracks who reads which list; the fault's target decides whether anything happens.
 */
import type { Account } from '../account/account.ts';
import type { ListQuery } from '../account/select.ts';
import type { PersonalAct } from '../people/act.ts';
import { createExpense, createInvoice } from '../people/acts-billing.ts';
import { createClient, createProject, hire, upload } from '../people/acts-projects.ts';
import { createTask } from '../people/acts-tasks.ts';
import type { Random } from '../people/random.ts';
import { RequestError } from '../request-error.ts';
import type { Resource, Viewer } from '../resources/resource.ts';

const CREATING: Readonly<Record<string, PersonalAct>> = {
  task: createTask,
  invoice: createInvoice,
  expense: createExpense,
  project: createProject,
  client: createClient,
  person: hire,
  document: upload,
};

export class PageTurns {
  readonly #account: Account;
  readonly #random: Random;
  /** Reader and list, with the offset they asked for last. */
  readonly #readers = new Map<string, number>();

  constructor(account: Account, random: Random) {
    this.#account = account;
    this.#random = random;
  }

  /** True when this page follows another one of the same list. */
  turned(token: string, resource: string, query: ListQuery): boolean {
    const reader = `${token} ${resource} ${query.key}`;
    const before = this.#readers.get(reader);
    this.#readers.set(reader, query.offset);
    return before !== undefined && query.offset > before;
  }

  create(resource: string): void {
    CREATING[resource]?.(this.#account, this.#random);
  }

  /** Deletes one of the records before the page asked for, so that the page has moved up by one. */
  delete(resource: Resource, query: ListQuery, viewer: Viewer): void {
    const { data, selector } = this.#account;
    const rows = resource.rows(data);
    const read = selector.select(resource, { ...query, offset: 0, limit: query.offset }, viewer, data).slots;
    for (let tries = 0; tries < 20 && read.length > 0; tries++) {
      const { id } = rows.at(this.#random.pick(read));
      try {
        this.#account.remove(resource.name, id);
        return;
      } catch (error) {
        // Some records are still used by others: take another one.
        if (!(error instanceof RequestError)) throw error;
      }
    }
  }
}
