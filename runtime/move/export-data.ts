/** Copies all data of an installation at rest into an archive. */

import { isLiteralSecret } from '../../adapters/secrets/local-secrets.ts';
import { masterFingerprint } from '../../adapters/secrets/master-secret.ts';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type Clock, type Duration, formatDuration, type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { PortableKind, PortablePage } from '../../core/ports/portable-data.ts';
import type { StoredSource } from '../../core/ports/source-store.ts';
import { mapSubscriptionSecrets } from '../embedded/reference-literals.ts';
import type { Stores } from '../inspect/stores.ts';
import type { Archive } from './archive.ts';

/** How long nothing may have happened in AWS before an export: the stream is read, and functions end, within that time. */
const REST: Duration = 5 * MINUTE;

interface ExportOptions {
  readonly clock: Clock;
  /** What is exported, for messages: a directory or a stack. */
  readonly origin: string;
  /** Called after each page with the number of entries so far. */
  readonly progress: (entries: number) => void;
}

export interface ExportReport {
  readonly counts: ReadonlyMap<PortableKind, number>;
  /** Secrets that could not be read: the subscriptions and sources that refer to them are exported without. */
  readonly warnings: readonly string[];
}

/** Continues an export that was interrupted. Throws UsageError while the installation is at work. */
export async function exportData(
  stores: Pick<Stores, 'portable' | 'countQueued' | 'secrets'>,
  archive: Archive,
  { clock, origin, progress }: ExportOptions,
): Promise<ExportReport> {
  const { portable } = stores;
  begin(archive, origin, clock.now());
  const { unannounced = 0 } = await portable.describe();
  if (unannounced > 0)
    throw inUse(`${unannounced} changes are not announced yet: start 'tidings serve', stop it, and export again`);
  const queued = (await stores.countQueued?.()) ?? 0;
  if (queued > 0) throw inUse(`${queued} deliveries are in the queue: wait until it is empty, and export again`);
  let entries = 0;
  for (const count of archive.counts().values()) entries += count;
  for await (const page of portable.read(archive.fact('cursor'))) {
    archive.addPage(page);
    noteActivity(archive, page);
    entries += page.entries.length;
    progress(entries);
  }
  assertAtRest(archive, stores.countQueued === undefined ? 0 : REST);
  const warnings = await addSecrets(archive, stores.secrets);
  archive.setFact('exportedAt', clock.now());
  return { counts: archive.counts(), warnings };
}

function inUse(what: string): UsageError {
  return new UsageError('TIDINGS_DATA_IN_USE', what);
}

/** A second export into the same file must continue the first one. */
function begin(archive: Archive, origin: string, now: Instant): void {
  const before = archive.fact('origin');
  const exported = archive.fact('exportedAt');
  if (exported !== undefined)
    throw new UsageError('TIDINGS_FILE_EXISTS', `the file is a complete export of ${exported}: name another file`);
  if (before !== undefined && before !== origin)
    throw new UsageError(
      'TIDINGS_FILE_EXISTS',
      `the file is an export of ${before}, not of ${origin}: name another file`,
    );
  archive.setFact('origin', origin);
  if (archive.fact('startedAt') === undefined) archive.setFact('startedAt', now);
}

function noteActivity(archive: Archive, { entries }: PortablePage): void {
  const instants = entries.map(({ kind, value }) =>
    kind === 'snapshot' ? value.committedAt : kind === 'scan' ? value.lastTriedAt : null,
  );
  const latest = instants.reduce(
    (a, b) => (a !== null && (b === null || a > b) ? a : b),
    archive.fact('activeAt') ?? null,
  );
  if (latest !== null) archive.setFact('activeAt', latest);
}

/** What happened shortly before may not be announced yet. What happened since is only partly in the archive. */
function assertAtRest(archive: Archive, rest: Duration): void {
  const [activeAt, startedAt] = [archive.fact('activeAt'), archive.fact('startedAt')];
  if (activeAt === undefined || startedAt === undefined || plus(activeAt, rest) <= startedAt) return;
  throw inUse(
    `a source was read, or a change found, at ${activeAt}, and the export began at ${startedAt}: stop the installation first` +
      `${rest === 0 ? '' : ` ('paused: draining'), wait ${formatDuration(rest)}`}, and export again`,
  );
}

/**
 * Adds the values of the references that only this installation can resolve. What a config declares is declared in the other
 * config too, so of those subscriptions only secrets of rotations are needed.
 */
async function addSecrets(archive: Archive, secrets: Stores['secrets']): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const subscription of archive.all('subscription')) {
    for (const reference of movedReferences(subscription)) {
      try {
        archive.addSecret(reference, await secrets.resolve(reference));
      } catch (error) {
        warnings.push(`subscription '${subscription.name}': ${errorMessage(error)}`);
      }
    }
  }
  for (const source of archive.all('source')) {
    const reference = movedToken(source);
    if (reference === undefined) continue;
    try {
      archive.addSecret(reference, await secrets.resolve(reference));
    } catch (error) {
      warnings.push(`source '${source.name}': ${errorMessage(error)}`);
    }
  }
  return warnings;
}

/** The reference to the token of a source, unless it is sealed: that needs the same `manage.secret`. */
export function movedToken({ settings: { token } }: StoredSource): string | undefined {
  return typeof token !== 'string' || masterFingerprint(token) !== undefined ? undefined : token;
}

/** Literal secrets move as they are; derived and sealed ones need the same `manage.secret`. */
export function movedReferences(subscription: Subscription): readonly string[] {
  const references = new Set<string>();
  const { declared, to, rotation } = subscription;
  const moved = declared ? { ...subscription, to: { ...to, settings: {} } } : subscription;
  mapSubscriptionSecrets(moved, (text) => {
    const isOwn = declared && text === rotation?.replaces;
    if (!isOwn && !isLiteralSecret(text) && masterFingerprint(text) === undefined) references.add(text);
    return text;
  });
  return [...references];
}
