/** Which writes the API supports, and how field values are encoded. Sends nothing itself. */

import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { FieldValue, WriteFields } from '../definition.ts';

export type WriteVerb = 'create' | 'update' | 'remove';

const ALL_VERBS: readonly WriteVerb[] = ['create', 'update', 'remove'];
const READ_ONLY: readonly WriteVerb[] = [];

/** The write operations in the API's description, per resource it describes. */
const WRITES: Readonly<Record<string, readonly WriteVerb[]>> = {
  client: ALL_VERBS,
  contactdescriptor: READ_ONLY,
  contacttype: READ_ONLY,
  document: READ_ONLY,
  expense: ALL_VERBS,
  group: READ_ONLY,
  invoice: ALL_VERBS,
  me: READ_ONLY,
  person: ALL_VERBS,
  project: ALL_VERBS,
  projectmodule: ALL_VERBS,
  quota: READ_ONLY,
  task: ALL_VERBS,
};

/** Throws GiveUp when the API has no such operation, which saves a request. */
export function assertWritable(verb: WriteVerb, resource: string): void {
  const verbs = Object.hasOwn(WRITES, resource) ? WRITES[resource] : undefined;
  if (verbs?.includes(verb) === true) return;
  const writable = Object.keys(WRITES).filter((name) => WRITES[name]?.includes(verb) === true);
  throw new GiveUp(
    'TIDINGS_SOURCE_WRITE_UNSUPPORTED',
    `${resource}: the API does not support ${verb}; it does for ${writable.join(', ')}`,
  );
}

/** Booleans become 't' and 'f', numbers text, lists comma-separated, null the empty string. */
export function encodeFields(resource: string, fields: WriteFields): Record<string, string> {
  const entries = Object.entries(fields).filter((entry): entry is [string, FieldValue] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([field, value]) => [field, encodeValue(`${resource}.${field}`, value)]));
}

function encodeValue(where: string, value: FieldValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return value.map((item) => encodeValue(where, item)).join(',');
  if (Number.isFinite(value)) return String(value);
  throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${where}: expected a number, got ${value}`);
}

/**
 * An update or a removal is idempotent, a creation is not. When the request may have reached the API and no response says
 * whether the record exists, "retry later" would risk a duplicate.
 */
export function toUncertainCreation(error: unknown): unknown {
  if (!(error instanceof RetryLater) || !mayHaveCreated(error)) return error;
  const message = `${error.message}; the record may have been created: check before creating it again`;
  return new GiveUp('TIDINGS_SOURCE_WRITE_UNCERTAIN', message, { evidence: error.evidence, cause: error });
}

const UNCERTAIN: readonly string[] = [
  'TIDINGS_SOURCE_UNREACHABLE',
  'TIDINGS_SOURCE_CUT_OFF',
  'TIDINGS_SOURCE_ANSWER_TOO_LARGE',
  'TIDINGS_SOURCE_ANSWER_INVALID',
];

function mayHaveCreated({ code, evidence }: RetryLater): boolean {
  return UNCERTAIN.includes(code) || (code === 'TIDINGS_SOURCE_STATUS' && (evidence.status ?? 0) >= 500);
}
