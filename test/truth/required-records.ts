/** Decides which records a complete scan must return. It does not judge what Tidings makes of them. */

import type { Observation, RawRecord } from './observation.ts';
import type { TrueAccount } from './true-account.ts';

/** A period in which the index of modified tasks lagged, and by how much. */
export interface LateIndex {
  readonly from: string;
  readonly until: string;
  readonly ms: number;
}

export interface RequiredScan extends Pick<Observation, 'resource' | 'kind' | 'responses'> {
  readonly at: string;
  /** The start of the last successful scan, in milliseconds; 0 for the first. */
  readonly lastScan: number;
}

/** How far a delta scan must reach back before the start of the last successful scan. */
const LOOKBACK_MS = 10 * 60_000;

export class RequiredRecords {
  readonly #account: TrueAccount;
  readonly #lateIndex: readonly LateIndex[];
  /** Invoices that were unpaid in the last scan. */
  #open: ReadonlySet<string> = new Set();

  constructor(account: TrueAccount, lateIndex: readonly LateIndex[]) {
    this.#account = account;
    this.#lateIndex = lateIndex;
  }

  /** Remembers invoices that were unpaid in the last scan. Once paid, the next open scan must return them once more. */
  rememberOpen(invoices: ReadonlyMap<string, { readonly fields: RawRecord; readonly deleted: boolean }>): void {
    const open = [...invoices].filter(([, { fields, deleted }]) => !deleted && isOwed(fields));
    this.#open = new Set(open.map(([id]) => id));
  }

  requiredIds({ resource, kind, responses, at, lastScan }: RequiredScan): string[] {
    const records = this.#account.shownRecords(resource);
    if (responses.length === 0) return [];
    if (kind === 'sweep') return [...records.keys()];
    if (kind === 'open') {
      return [...records].filter(([id, record]) => isOwed(record) || this.#open.has(id)).map(([id]) => id);
    }
    const since = lastScan - LOOKBACK_MS;
    const now = Date.parse(at);
    return [...this.#account.modifiedTasks]
      .filter(([id, modified]) => records.has(id) && modified > since && modified + this.#indexDelay(modified) <= now)
      .map(([id]) => id);
  }

  #indexDelay(at: number): number {
    const late = this.#lateIndex.find(({ from, until }) => Date.parse(from) <= at && at <= Date.parse(until));
    return late?.ms ?? 0;
  }
}

const isOwed = ({ datepaid, balance }: RawRecord) => (datepaid === null || datepaid === '') && Number(balance) > 0;
