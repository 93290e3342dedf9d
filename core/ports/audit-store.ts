/** Port: the audit trail. Entries are kept as long as events. Only the outcome of an entry is ever changed. */

import { createHash } from 'node:crypto';
import type { Actor, AuditEntry } from '../model/audit.ts';
import { UsageError } from '../model/errors.ts';
import type { Clock, Instant } from '../model/time.ts';

interface AuditQuery {
  /** The cursor of an earlier page: continue after it. @default - from the newest on */
  readonly after?: string;
  readonly limit: number;
  /** Ends the page before its entries take more bytes as JSON. It has at least one. @default - any number */
  readonly maxBytes?: number;
}

interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Where this page ended; undefined when nothing follows. */
  readonly cursor: string | undefined;
}

export interface AuditStore {
  /** An entry with the id and instant of an earlier one replaces it, in its place. */
  append(entry: AuditEntry): Promise<void>;
  page(query: AuditQuery): Promise<AuditPage>;
  /** Deletes entries before this instant, where they do not expire by themselves. */
  prune(before: Instant): Promise<void>;
}

export interface AuditPorts {
  readonly audit: AuditStore;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Who makes a change. */
export interface ChangeAuthor extends Actor {
  /** What is processed, and since when: its entries are the same however often it is processed. @default - it is processed once */
  readonly request?: { readonly id: string; readonly at: Instant };
  /**
   * Throws if the author may not act any more: a request may wait for a receiver or for its turn, and its key may be removed
   * meanwhile. @default - nothing has to be checked
   */
  readonly assertValid?: () => Promise<void>;
}

/** What an entry says of a change. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'target' | 'details'>;

interface AuditedChangeOptions<T> {
  /** Further facts that only the result has. @default - none */
  readonly detailsOf?: (result: T) => AuditEntry['details'];
  /** Whether the result says that nothing was changed. @default - something was */
  readonly isRefused?: (result: T) => boolean;
}

/**
 * Makes a change together with its entry. The entry is written first, so that no change lacks one, whenever the process ends;
 * one that ended in between leaves the outcome `started`. A UsageError of `make` means that nothing was changed.
 */
export async function auditedChange<T>(
  ports: AuditPorts,
  author: ChangeAuthor,
  action: AuditedAction,
  make: () => Promise<T>,
  { detailsOf, isRefused }: AuditedChangeOptions<T> = {},
): Promise<T> {
  const { audit } = ports;
  await author.assertValid?.();
  const entry = toEntry(ports, author, action);
  await audit.append({ ...entry, outcome: 'started' });
  let result: T;
  try {
    result = await make();
  } catch (error) {
    // After any other error it is not known whether something was changed.
    if (error instanceof UsageError) await audit.append({ ...entry, outcome: 'refused' });
    throw error;
  }
  const isMade = isRefused?.(result) !== true;
  const details = isMade ? { ...action.details, ...detailsOf?.(result) } : { ...action.details };
  try {
    await audit.append({
      ...entry,
      details: Object.keys(details).length === 0 ? undefined : shortenDetails(details),
      outcome: isMade ? undefined : 'refused',
    });
  } catch {
    // The change was made and has its entry. The result may hold a secret that is shown once, so it must not be lost.
  }
  return result;
}

/** Characters of one fact as JSON. Entries are kept for months, and a key may make 600 a minute, with 256 KB in each request. */
const MAX_FACT_LENGTH = 2_000;

/** A long fact becomes the start of its JSON. */
function shortenDetails(details: NonNullable<AuditEntry['details']>): NonNullable<AuditEntry['details']> {
  const shorten = (value: unknown) => {
    const json = JSON.stringify(value) ?? '';
    return json.length <= MAX_FACT_LENGTH ? value : `${json.slice(0, MAX_FACT_LENGTH).toWellFormed()}…`;
  };
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shorten(value)]));
}

/** Adds the entry of a change that was made. */
export async function recordChange(ports: AuditPorts, author: ChangeAuthor, action: AuditedAction): Promise<void> {
  await ports.audit.append(toEntry(ports, author, action));
}

function toEntry(
  { clock, randomBytes }: Pick<AuditPorts, 'clock' | 'randomBytes'>,
  { kind, id, name, request }: ChangeAuthor,
  action: AuditedAction,
): AuditEntry {
  const key =
    request === undefined
      ? Buffer.from(randomBytes(12)).toString('hex')
      : createHash('sha256').update(`${request.id} ${action.action} ${action.target}`).digest('hex').slice(0, 24);
  const by = name === undefined || name === '' ? { kind, id } : { kind, id, name };
  const { details, ...rest } = action;
  return {
    ...{ id: `aud_${key}`, at: request?.at ?? clock.now(), by, ...rest },
    ...(details === undefined ? {} : { details: shortenDetails(details) }),
  };
}
