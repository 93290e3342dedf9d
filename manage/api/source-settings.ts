/**
 * Adds, changes and removes the sources that are kept in the data. The API, the console and the command line call the same
 * functions. A source is stored only after it was checked, and its token is never part of it.
 */

import { createHash } from 'node:crypto';
import type { ErrorCode } from '../../core/model/error-codes.ts';
import { errorMessage } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { type AuditPorts, auditedChange } from '../../core/ports/audit-store.ts';
import type { StoredSource } from '../../core/ports/source-store.ts';
import { normalizeBaseUrl } from '../../core/source/account/account.ts';
import type { Config, Environment, SourceConfig } from '../../runtime/config/config.ts';
import { packSource } from '../../runtime/config/packed.ts';
import { type SourceSettings, validateSource } from '../../runtime/config/validate-source.ts';
import { checkNewSource, type NewSourceCheck, recognizeSource } from '../../runtime/inspect/check-new-source.ts';
import { findUnusedSources, toSourceConfig } from '../../runtime/stored-sources.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { type FieldError, notFound, Problem, toPointer } from './http/problem.ts';
import { assertRoom, oneOfFew } from './source-limits.ts';

export interface SourcePorts
  extends AuditPorts,
    Pick<ApiPorts, 'storedSources' | 'snapshots' | 'scanStates' | 'mode' | 'beginLong'> {
  /** With the sources in effect. */
  readonly config: Pick<Config, 'sources' | 'network'>;
  /** Stores a token, and returns the reference to it. */
  readonly keepToken: (source: string, token: string) => Promise<string>;
  readonly resolveToken: (reference: string) => Promise<string>;
  /** Variables that references to tokens may name. @default - none */
  readonly environment?: Environment;
}

/** A token is sealed with the master secret, as the secrets of subscriptions are. */
export function sourcePortsOf(api: ApiPorts): SourcePorts {
  return {
    ...api,
    keepToken: (_, token) => api.secrets.seal(token),
    resolveToken: (reference) => api.secrets.resolve(reference),
  };
}

/** A token itself, or a reference that the operator gives. */
export type GivenToken = { readonly value: string } | { readonly reference: string };

/** Settings as people see them. */
export interface SourceSettingsView {
  readonly source: string;
  /** Without the token. */
  readonly settings: SourceSettings;
  /** Where the token is; null if it was given itself. */
  readonly tokenReference: string | null;
  /** Whether the config declares a source of this name, which is in effect instead. */
  readonly hidden: boolean;
  /** Why it is not polled; null: it is. */
  readonly unused: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly changedAt: string;
  readonly changedBy: string;
}

export interface CheckedSource {
  readonly view: SourceSettingsView;
  readonly etag: string;
  /** Undefined if the request was processed before. */
  readonly check: NewSourceCheck | undefined;
}

export async function getSourceSettings(
  { storedSources, config }: Pick<SourcePorts, 'storedSources' | 'config'>,
  name: string,
): Promise<Omit<CheckedSource, 'check'>> {
  const stored = await storedSources.get(name);
  if (stored !== undefined) return { view: viewSource(stored, config), etag: etagOf(stored) };
  throw isDeclared(config, name) ? declaredProblem(name) : notFound(`source '${name}'`);
}

/** @param request see `Call` */
export async function addSource(
  ports: SourcePorts,
  author: Pick<Caller, 'kind' | 'id' | 'name'>,
  settings: SourceSettings,
  token: GivenToken,
  request?: string,
): Promise<CheckedSource> {
  const name = String(settings.name);
  const before = await ports.storedSources.get(name);
  if (before !== undefined && request !== undefined && before.request === request)
    return { view: viewSource(before, ports.config), etag: etagOf(before), check: undefined };
  if (before !== undefined) throw nameTaken(name);
  if (isDeclared(ports.config, name)) throw declaredProblem(name);
  await assertRoom(ports.storedSources);
  const prepared = await oneOfFew(ports.storedSources, () => prepare(ports, settings, token));
  const at = ports.clock.now();
  const by = author.name ?? author.id;
  const entry = { action: 'source.added', target: `source/${name}`, details: describe(prepared.settings) };
  return auditedChange(ports, author, entry, async () => {
    const kept = await store(ports, prepared, token);
    const stored = {
      ...kept,
      ...{ name, createdAt: at, createdBy: by, changedAt: at, changedBy: by, version: 1 },
      ...(request === undefined ? {} : { request }),
    };
    if (!(await ports.storedSources.add(stored))) throw nameTaken(name);
    return { view: viewSource(stored, ports.config), etag: etagOf(stored), check: prepared.check };
  });
}

interface ChangeOptions {
  /** @default - the token stays */
  readonly token?: GivenToken | undefined;
  /** The header `If-Match`. @default - any version is changed */
  readonly ifMatch?: string | undefined;
}

/** @param patch keys replace those of the settings; null removes one */
export async function changeSource(
  ports: SourcePorts,
  author: Pick<Caller, 'kind' | 'id' | 'name'>,
  name: string,
  patch: SourceSettings,
  { token, ifMatch }: ChangeOptions = {},
): Promise<CheckedSource> {
  const stored = await findStored(ports, name);
  if (isDeclared(ports.config, name)) throw declaredProblem(name);
  assertExpected(stored, ifMatch);
  const reference = String(stored.settings.token);
  const merged = Object.entries({ ...stored.settings, ...patch, name }).filter(([, value]) => value !== null);
  const kept = { reference, address: String(stored.settings.baseUrl) };
  const next = Object.fromEntries(merged);
  const prepared = await oneOfFew(ports.storedSources, () => prepare(ports, next, token ?? kept));
  const keys = Object.keys(patch).filter((key) => key !== 'name');
  const details = { changed: [...keys, ...(token === undefined ? [] : ['token'])], ...describe(prepared.settings) };
  const entry = { action: 'source.changed', target: `source/${name}`, details };
  return auditedChange(ports, author, entry, async () => {
    const fresh = await store(ports, prepared, token ?? kept);
    const changedBy = author.name ?? author.id;
    const changed = { ...stored, ...fresh, changedAt: ports.clock.now(), changedBy, version: stored.version + 1 };
    if (!(await ports.storedSources.update(changed))) throw changedMeanwhile(name, 409);
    return { view: viewSource(changed, ports.config), etag: etagOf(changed), check: prepared.check };
  });
}

/** It is not polled any more. Its records stay: a source of the same name and account continues with them. */
export async function removeSource(
  ports: Pick<SourcePorts, 'storedSources' | 'config' | keyof AuditPorts>,
  author: Pick<Caller, 'kind' | 'id' | 'name'>,
  name: string,
  ifMatch?: string,
): Promise<void> {
  const stored = await findStored(ports, name);
  assertExpected(stored, ifMatch);
  await auditedChange(ports, author, { action: 'source.removed', target: `source/${name}` }, async () => {
    if (!(await ports.storedSources.remove(name, stored.version))) throw changedMeanwhile(name, 409);
  });
}

interface Prepared {
  /** Without the token. */
  readonly settings: SourceSettings;
  readonly source: SourceConfig;
  readonly check: NewSourceCheck;
}

/** The token of a stored source, and the address that it was given for. */
interface KeptToken {
  readonly reference: string;
  readonly address: string;
}

/** Validates and checks it. Stores nothing. */
async function prepare(ports: SourcePorts, given: SourceSettings, token: GivenToken | KeptToken): Promise<Prepared> {
  const { config, mode, environment = {} } = ports;
  const { token: _, ...rest } = given;
  const isReference = 'reference' in token && !isKeptHere(token.reference);
  const reference = isReference ? { token: token.reference } : {};
  const validate = (settings: SourceSettings) => {
    const validated = validateSource({ ...settings, ...reference }, { mode, network: config.network, environment });
    if ('source' in validated) return validated.source;
    const fields = validated.problems.map(({ path, message }) => ({ pointer: toPointer(path), detail: message }));
    throw refused('TIDINGS_SOURCE_SETTINGS_INVALID', fields);
  };
  // Before the first request: an address that the config does not allow gets none.
  validate(rest);
  await ports.beginLong?.();
  const found = rest.kind === undefined ? await recognizeSource(String(rest.baseUrl), config) : undefined;
  const settings = { ...rest, ...found };
  assertSameAddress(String(settings.baseUrl), token);
  const packed = packSource(validate(settings));
  const source = toSourceConfig({ packed: packed as unknown as JsonObject }, config);
  const value = 'value' in token ? token.value : await resolveToken(ports, token.reference);
  const others = config.sources.filter((one) => one.name !== source.name);
  const check = await checkNewSource(source, value, { ...ports, others, random: Math.random });
  if (check.refusals.length === 0) return { settings, source, check };
  const fields = check.refusals.map(({ path, message }) => ({ pointer: toPointer(path), detail: message }));
  throw refused('TIDINGS_SOURCE_CHECK_FAILED', fields);
}

/** Nobody may send a token that they do not know to a server of their choice. */
function assertSameAddress(baseUrl: string, token: GivenToken | KeptToken): void {
  if (!('address' in token) || normalizeBaseUrl(baseUrl) === normalizeBaseUrl(token.address)) return;
  const detail = `expected a token for the new address: the stored one is sent only to ${token.address}, for which it was given`;
  throw refused('TIDINGS_SOURCE_SETTINGS_INVALID', [{ pointer: '/token', detail }]);
}

async function resolveToken({ resolveToken: resolve, mode }: SourcePorts, reference: string): Promise<string> {
  try {
    return await resolve(reference);
  } catch (error) {
    const hint = mode === 'aws' ? '; functions read only what the config and moreSecrets of the stack list' : '';
    throw refused('TIDINGS_SOURCE_CHECK_FAILED', [{ pointer: '/token', detail: `${errorMessage(error)}${hint}` }]);
  }
}

/** Keeps the token if it is given itself. */
async function store(
  { keepToken }: Pick<SourcePorts, 'keepToken'>,
  { settings, source }: Prepared,
  given: GivenToken,
): Promise<Pick<StoredSource, 'settings' | 'packed'>> {
  const token = 'reference' in given ? given.reference : await keepToken(source.name, given.value);
  const { stored: _, ...packed } = packSource({ ...source, token });
  return withoutUndefinedValues({ settings: { ...settings, token }, packed: { ...packed } });
}

/** A token that was given itself. */
const isKeptHere = (reference: string) => /^(sealed|kept):/.test(reference);

const withoutUndefinedValues = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function viewSource(stored: StoredSource, config: SourcePorts['config']): SourceSettingsView {
  const { name, createdAt, createdBy, changedAt, changedBy } = stored;
  const { token, ...settings } = stored.settings;
  const isGiven = typeof token !== 'string' || isKeptHere(token);
  return {
    source: name,
    settings,
    tokenReference: isGiven ? null : token,
    hidden: isDeclared(config, name),
    unused: findUnusedSources([stored], config)[0]?.reason ?? null,
    createdAt,
    createdBy,
    changedAt,
    changedBy,
  };
}

const describe = ({ kind, baseUrl }: SourceSettings) => ({ ...(kind === undefined ? {} : { kind }), baseUrl });

const isDeclared = ({ sources }: Pick<Config, 'sources'>, name: string) =>
  sources.some((one) => one.name === name && one.stored === undefined);

async function findStored(
  { storedSources, config }: Pick<SourcePorts, 'storedSources' | 'config'>,
  name: string,
): Promise<StoredSource> {
  const stored = await storedSources.get(name);
  if (stored !== undefined) return stored;
  throw isDeclared(config, name) ? declaredProblem(name) : notFound(`source '${name}'`);
}

/** Of the stored JSON: a source that was removed and added again has another one. */
const etagOf = (stored: StoredSource) =>
  `"${createHash('sha256').update(JSON.stringify(stored)).digest('hex').slice(0, 32)}"`;

function assertExpected(stored: StoredSource, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(stored))) throw changedMeanwhile(stored.name, 412);
}

function changedMeanwhile(name: string, status: 409 | 412): Problem {
  const detail = `source '${name}' was changed meanwhile: read it again and repeat the change`;
  return new Problem(status, 'TIDINGS_API_CHANGED', { detail });
}

function nameTaken(name: string): Problem {
  const detail = `expected a name that is not taken, got '${name}'`;
  return new Problem(409, 'TIDINGS_API_NAME_TAKEN', { detail, errors: [{ pointer: '/name', detail }] });
}

function declaredProblem(name: string): Problem {
  const detail = `source '${name}' is declared in the config and is read-only here: change it there`;
  return new Problem(409, 'TIDINGS_SOURCE_DECLARED', { detail });
}

/** The request is well formed, but the source cannot be polled as it says. Nothing was stored. */
function refused(code: ErrorCode, errors: readonly FieldError[]): Problem {
  const detail = errors.map(({ pointer, detail: message }) => (pointer === '' ? message : `${pointer}: ${message}`));
  return new Problem(409, code, { detail: detail.join('; '), errors });
}
