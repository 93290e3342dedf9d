/** Copies an archive into a new installation, in batches. An import that was interrupted continues. */

import { masterFingerprint } from '../../adapters/secrets/master-secret.ts';
import { UsageError } from '../../core/model/errors.ts';
import { isSameValue, readJsonObject } from '../../core/model/json.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type ChannelRegistry, traitsOf } from '../../core/ports/channel.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { PORTABLE_KINDS, type PortableEntry, type PortableKind } from '../../core/ports/portable-data.ts';
import type { StoredSource } from '../../core/ports/source-store.ts';
import { MANAGED_TOKEN_PREFIX } from '../aws/deployed-stores.ts';
import { mapSubscriptionSecrets } from '../embedded/reference-literals.ts';
import type { Stores } from '../inspect/stores.ts';
import type { Archive } from './archive.ts';
import { assertWellFormed } from './check-archive.ts';
import { movedReferences, movedToken } from './export-data.ts';

interface ImportOptions {
  /** What it is imported into: a directory or a stack. */
  readonly target: string;
  /** The subscriptions of the target's config, with its references to secrets. */
  readonly declared: readonly Subscription[];
  readonly channels: ChannelRegistry;
  /** The fingerprint of the target's `manage.secret`. @default - it has none */
  readonly master?: string;
  /** Called after each batch. */
  readonly progress: (done: number, total: number) => void;
  /** Called once, before the first write. @default - nobody waits for it */
  readonly onStart?: () => void;
}

export interface ImportReport {
  readonly counts: ReadonlyMap<PortableKind, number>;
}

/** Throws UsageError before anything is written if the archive does not fit the target. */
export async function importData(
  stores: Pick<Stores, 'portable' | 'scanStates' | 'secrets'>,
  archive: Archive,
  options: ImportOptions,
): Promise<ImportReport> {
  const { target, progress, onStart = () => {} } = options;
  assertWellFormed(archive);
  await assertNew(stores, archive, target);
  assertDeclared(archive, options);
  assertMaster(archive, options);
  const counts = archive.counts();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  onStart();
  const from = readProgress(archive, target);
  // Before the first write: an import that is killed right after it continues.
  saveProgress(archive, target, from);
  let { after, done } = from;
  const first = from.kind;
  for (const kind of PORTABLE_KINDS.slice(PORTABLE_KINDS.indexOf(first))) {
    for (;;) {
      const batch = archive.readBatch(kind, after);
      const last = batch.at(-1);
      if (last === undefined) break;
      await stores.portable.write(await translateAll(stores, archive, batch, options));
      after = last;
      done += batch.length;
      saveProgress(archive, target, { kind, after: { id: last.id, order: last.order }, done });
      progress(done, total);
    }
    after = undefined;
  }
  return { counts };
}

interface Progress {
  readonly kind: PortableKind;
  /** The last entry that was written. @default - none of its kind */
  readonly after?: Pick<PortableEntry, 'id' | 'order'>;
  readonly done: number;
}

function readProgress(archive: Archive, target: string): Progress {
  const saved = archive.fact(`imported:${target}`);
  const start: Progress = { kind: PORTABLE_KINDS[0] ?? 'subscription', done: 0 };
  const progress = saved === undefined ? undefined : readJsonObject(saved);
  // Only `saveProgress` writes it. Anything else starts from the beginning: writing the same again changes nothing.
  return progress !== undefined && PORTABLE_KINDS.includes(progress.kind as PortableKind)
    ? (progress as unknown as Progress)
    : start;
}

function saveProgress(archive: Archive, target: string, progress: Progress): void {
  archive.setFact(`imported:${target}`, JSON.stringify(progress));
}

/**
 * Records that are there may be newer than those of the archive. An import that continues finds its own, but no scan state
 * of a poll: those are written last.
 */
async function assertNew(
  { portable, scanStates }: Pick<Stores, 'portable' | 'scanStates'>,
  archive: Archive,
  target: string,
): Promise<void> {
  const isContinued = archive.fact(`imported:${target}`) !== undefined;
  for (const state of archive.all('scan')) {
    const stored = await scanStates.get(state.source, state.resource);
    if (stored !== undefined && !isSameValue(stored, state))
      throw notNew(`${target} has polled source '${state.source}' already`);
  }
  if (!isContinued && (await portable.describe()).hasRecords) throw notNew(`${target} has records already`);
}

function notNew(what: string): UsageError {
  return new UsageError(
    'TIDINGS_FILE_EXISTS',
    `${what}: expected new data, because those in the archive may be older. Import into another directory or stack`,
  );
}

/** Their deliveries would have no receiver. */
function assertDeclared(archive: Archive, { declared }: ImportOptions): void {
  const names = new Set(declared.map(({ name }) => name));
  const missing = archive.all('subscription').filter((one) => one.declared && !names.has(one.name));
  if (missing.length === 0) return;
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `the config of this installation does not declare ${missing.map(({ name }) => `'${name}'`).join(', ')}, which the archive has: add them, or remove them from the other config and export again`,
  );
}

/** Of documents: the token that a person has linked, and where Slack takes the answers to a command. */
const sealedIn = ({ token, responseUrl }: DocumentBody) => [token, responseUrl];

/** Text elsewhere may look like a reference. */
function secretsOf(subscription: Subscription): readonly string[] {
  const secrets: string[] = [];
  mapSubscriptionSecrets(subscription, (text) => {
    secrets.push(text);
    return text;
  });
  return secrets;
}

/** Secrets that the API made are derived from `manage.secret`, and values that it keeps are encrypted with it. */
function assertMaster(archive: Archive, { master }: ImportOptions): void {
  const references = [
    ...archive.all('subscription').flatMap(secretsOf),
    ...archive.all('source').flatMap(({ settings, packed }) => [settings.token, packed.token]),
    ...archive.all('document').flatMap(({ body }) => [body, Object(body.args)].flatMap(sealedIn)),
  ];
  const others = references.filter((reference) => {
    if (typeof reference !== 'string') return false;
    const fingerprint = masterFingerprint(reference);
    return fingerprint !== undefined && fingerprint !== master;
  });
  if (others.length === 0) return;
  throw new UsageError(
    'TIDINGS_SECRET_UNAVAILABLE',
    `manage.secret: expected the one of the exported installation, with which ${others.length} secrets of the archive were made, got ${master === undefined ? 'none' : 'another'}. ` +
      "An embedded installation whose config has none keeps it in the file 'secrets/master' of its data directory",
  );
}

type TranslationPorts = Pick<Stores, 'secrets'>;

async function translateAll(
  stores: TranslationPorts,
  archive: Archive,
  batch: readonly PortableEntry[],
  options: ImportOptions,
): Promise<readonly PortableEntry[]> {
  const translated: PortableEntry[] = [];
  for (const entry of batch)
    if (entry.kind === 'subscription')
      translated.push({ ...entry, value: await translate(stores, archive, entry.value, options) });
    else if (entry.kind === 'source')
      translated.push({ ...entry, value: await translateSource(stores, archive, entry.value, options) });
    else translated.push(entry);
  return translated;
}

/** Stores its secrets in the target, and refers to them there. What the config declares is that of the target's config. */
async function translate(
  { secrets }: TranslationPorts,
  archive: Archive,
  subscription: Subscription,
  { target, declared, channels }: ImportOptions,
): Promise<Subscription> {
  const kept = new Map<string, string>();
  for (const reference of movedReferences(subscription)) {
    const moved = await keepSecret(secrets, archive, { target, owner: subscription.name, reference });
    if (moved !== undefined) kept.set(reference, moved);
  }
  const moved = mapSubscriptionSecrets(subscription, (text) => kept.get(text) ?? text);
  const wanted = declared.find(({ name }) => name === subscription.name);
  if (!subscription.declared || wanted === undefined) return moved;
  const { rotation, formerNames } = moved;
  const secret = traitsOf(channels, wanted.to).signingSecret(wanted.to.settings);
  return {
    ...wanted,
    ...(formerNames === undefined ? {} : { formerNames }),
    ...(rotation === undefined || secret === undefined ? {} : { rotation: { ...rotation, replaces: secret } }),
  };
}

/** The same for the token of a source that is kept in the data. */
async function translateSource(
  { secrets }: TranslationPorts,
  archive: Archive,
  source: StoredSource,
  { target }: ImportOptions,
): Promise<StoredSource> {
  const reference = movedToken(source);
  if (reference === undefined) return source;
  const token = await keepSecret(secrets, archive, {
    target,
    owner: `${MANAGED_TOKEN_PREFIX}${source.name}`,
    reference,
  });
  if (token === undefined) return source;
  return { ...source, settings: { ...source.settings, token }, packed: { ...source.packed, token } };
}

interface MovedSecret {
  readonly target: string;
  /** The subscription or source that it belongs to. */
  readonly owner: string;
  readonly reference: string;
}

/** The reference in the target to a secret of the archive, which is stored there once; undefined if the archive lacks it. */
async function keepSecret(
  secrets: TranslationPorts['secrets'],
  archive: Archive,
  { target, owner, reference }: MovedSecret,
): Promise<string | undefined> {
  const value = archive.secret(reference);
  if (value === undefined) return undefined;
  const before = archive.keptSecret(target, reference);
  // The archive must not choose which secret of this installation is meant.
  if (before !== undefined && (await secrets.resolve(before).catch(() => undefined)) === value.trim()) return before;
  const moved = await secrets.keep(owner, value);
  archive.setKeptSecret(target, reference, moved);
  return moved;
}
