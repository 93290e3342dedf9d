/**
 * Changes the account between two pages of one reader: deletes a record they have read, or adds one.
 * Tracks who reads which list; the fault's target decides whether anything happens.
 */
import type { Account } from '../account/account.ts';
import type { ListQuery } from '../account/select.ts';
import type { Action } from '../people/action.ts';
import { createExpense, createInvoice } from '../people/billing-actions.ts';
import { createClient, createProject, hire, upload } from '../people/project-actions.ts';
import type { Random } from '../people/random.ts';
import { createTask } from '../people/task-actions.ts';
import { RequestError } from '../request-error.ts';
import type { Resource, Viewer } from '../resources/resource.ts';

const CREATE_ACTIONS: Readonly<Record<string, Action>> = {
  task: createTask,
  invoice: createInvoice,
  expense: createExpense,
  project: createProject,
  client: createClient,
  person: hire,
  document: upload,
};

export class PageChanges {
  readonly #account: Account;
  readonly #random: Random;
  /** The last requested offset by reader and list. */
  readonly #readers = new Map<string, number>();

  constructor(account: Account, random: Random) {
    this.#account = account;
    this.#random = random;
  }

  /** True when this page follows another one of the same list. */
  isNextPage(token: string, resource: string, query: ListQuery): boolean {
    const reader = `${token} ${resource} ${query.key}`;
    const before = this.#readers.get(reader);
    this.#readers.set(reader, query.offset);
    return before !== undefined && query.offset > before;
  }

  create(resource: string): void {
    CREATE_ACTIONS[resource]?.(this.#account, this.#random);
  }

  /** Deletes a record before the requested page, so that the page moves up by one. */
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
        // The record is referenced by others: try another one.
        if (!(error instanceof RequestError)) throw error;
      }
    }
  }
}
