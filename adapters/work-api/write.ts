/** What may be written, and how it looks on the wire. Sends nothing itself. */

import { GiveUp, RetryLater } from '../../core/model/errors.ts';

export type Verb = 'create' | 'update' | 'remove';

export type WireValue = string | number | boolean | null | readonly (string | number)[];

/** Values as the core knows them: see `wireFields` for what becomes of them. Undefined is left out. */
export type WriteFields = Readonly<Record<string, WireValue | undefined>>;

const EVERYTHING: readonly Verb[] = ['create', 'update', 'remove'];
const NOTHING: readonly Verb[] = [];

/** The operations of the API's description. What it lists without them can only be read; the others it does not show. */
const WRITES: Readonly<Record<string, readonly Verb[]>> = {
  client: EVERYTHING,
  contactdescriptor: NOTHING,
  contacttype: NOTHING,
  document: NOTHING,
  expense: EVERYTHING,
  group: NOTHING,
  invoice: EVERYTHING,
  me: NOTHING,
  person: EVERYTHING,
  project: EVERYTHING,
  projectmodule: EVERYTHING,
  quota: NOTHING,
  task: EVERYTHING,
};

/** Throws GiveUp when the API has no such operation: asking it would only cost a request. */
export function mustAllow(verb: Verb, resource: string): void {
  const verbs = Object.hasOwn(WRITES, resource) ? WRITES[resource] : undefined;
  if (verbs?.includes(verb) === true) return;
  const able = Object.keys(WRITES).filter((name) => WRITES[name]?.includes(verb) === true);
  throw new GiveUp(
    'TIDINGS_SOURCE_WRITE_UNSUPPORTED',
    `${resource}: the API has no ${verb} for it; it has one for ${able.join(', ')}`,
  );
}

/** Booleans as 't' and 'f', numbers as text, lists with commas, null as the empty value. */
export function wireFields(resource: string, fields: WriteFields): Record<string, string> {
  const known = Object.entries(fields).filter((entry): entry is [string, WireValue] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([field, value]) => [field, wireText(`${resource}.${field}`, value)]));
}

function wireText(where: string, value: WireValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return value.map((item) => wireText(where, item)).join(',');
  if (Number.isFinite(value)) return String(value);
  throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${where}: expected a number, got ${value}`);
}

/**
 * An update or a removal may be done twice, a creation may not: where nobody knows whether the record was made, because
 * the request may have left and no answer tells, "retry later" would be wrong advice.
 */
export function uncertainCreation(error: unknown): unknown {
  if (!(error instanceof RetryLater) || !mayHaveCreated(error)) return error;
  const message = `${error.message}; the record may have been created all the same: look before creating it again`;
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
