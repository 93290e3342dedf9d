/**
 * Checks an archive before anything of it is stored: the file may be damaged, or made by someone else. It may bring secrets of its
 * own, and must not name those of the new installation: the receiver of a subscription or the address of a source would get them.
 */

import { UsageError } from '../../core/model/errors.ts';
import { isNestedDeeper, jsonObjectOf } from '../../core/model/json.ts';
import { PORTABLE_KINDS, type PortableEntry, type PortableKind } from '../../core/ports/portable-data.ts';
import type { Archive } from './archive.ts';
import { movedReferences, movedToken } from './export-data.ts';

type Kind = 'string' | 'object' | 'array' | 'boolean' | 'number';

/** What is read of each entry while it is stored. */
const REQUIRED: Readonly<Record<PortableKind, Readonly<Record<string, Kind>>>> = {
  subscription: { name: 'string', events: 'array', to: 'object', declared: 'boolean' },
  event: { id: 'string', type: 'string', time: 'string', subject: 'string', data: 'object' },
  delivery: { id: 'string', subscription: 'string', status: 'string', attempts: 'array' },
  thread: { subscription: 'string', subject: 'string', thread: 'string' },
  key: { id: 'string', name: 'string', hash: 'string', scopes: 'array', createdAt: 'string' },
  usage: { key: 'string' },
  audit: { id: 'string', at: 'string', action: 'string' },
  document: { kind: 'string', id: 'string', body: 'object' },
  snapshot: { key: 'object', record: 'object', version: 'number' },
  scan: { source: 'string', resource: 'string' },
  source: { name: 'string', settings: 'object', packed: 'object', version: 'number' },
};

/** As in every config and request, and what earlier versions allowed. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/** Filters and records have a few levels. */
const MAX_NESTING = 100;

/** Throws UsageError for an archive that 'tidings export' cannot have written. Reads every entry once. */
export function assertWellFormed(archive: Archive): void {
  for (const kind of archive.counts().keys()) if (!PORTABLE_KINDS.includes(kind)) throw unusable(`an entry '${kind}'`);
  for (const kind of PORTABLE_KINDS) {
    let after: PortableEntry | undefined;
    for (;;) {
      const batch = archive.readBatch(kind, after);
      for (const entry of batch) assertEntry(entry);
      after = batch.at(-1);
      if (after === undefined) break;
    }
  }
  assertOwnSecrets(archive);
}

function assertEntry({ kind, id, value }: PortableEntry): void {
  const where = `${kind} '${id.slice(0, 100)}'`;
  if (isNestedDeeper(value, MAX_NESTING)) throw unusable(`${where} with more than ${MAX_NESTING} levels of nesting`);
  const body: Readonly<Record<string, unknown>> = jsonObjectOf(value);
  for (const [key, expected] of Object.entries(REQUIRED[kind])) {
    const found = kindOf(body[key]);
    if (found !== expected) throw unusable(`${where}, whose ${key} is ${describe(found)}, not ${describe(expected)}`);
  }
  if ((kind === 'subscription' || kind === 'source') && !NAME.test(String(body.name)))
    throw unusable(`${where}, whose name has other characters than letters, digits, '-', '_' and '.'`);
}

function kindOf(value: unknown): Kind | 'none' {
  if (Array.isArray(value)) return 'array';
  if (value === null || value === undefined) return 'none';
  const type = typeof value;
  return type === 'string' || type === 'object' || type === 'boolean' || type === 'number' ? type : 'none';
}

const describe = (kind: Kind | 'none') =>
  kind === 'none' ? 'missing' : /^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`;

/** An export has the value of each reference that another installation could not resolve. */
function assertOwnSecrets(archive: Archive): void {
  const assertHeld = (owner: string, reference: string) => {
    if (archive.secret(reference) !== undefined) return;
    throw new UsageError(
      'TIDINGS_SECRET_UNAVAILABLE',
      `the archive lacks the secret '${reference.slice(0, 200)}' of ${owner}, and one of this installation is not used for it: repair or remove it where it was exported, and export again`,
    );
  };
  for (const one of archive.all('subscription'))
    if (!one.declared)
      for (const reference of movedReferences(one)) assertHeld(`subscription '${one.name}'`, reference);
  for (const source of archive.all('source')) {
    const { settings, packed, name } = source;
    // Polls read the packed one.
    if (packed.token !== undefined && packed.token !== settings.token)
      throw unusable(`source '${name}', which names two tokens`);
    const reference = movedToken(source);
    if (reference !== undefined) assertHeld(`source '${name}'`, reference);
  }
}

function unusable(what: string): UsageError {
  return new UsageError('TIDINGS_ARCHIVE_UNUSABLE', `expected a file that 'tidings export' wrote, found ${what}`);
}
