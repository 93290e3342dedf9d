/**
 * A synthetic change that travels through a deployment, for `tidings verify`: `poll` commits it, the stream brings it to
 * `announce`, the queue to `deliver`, and the built-in receiver records that it arrived. One document says how far it got.
 * It becomes no event and no delivery, so no subscription, list or feed can contain it.
 */

import { VERIFICATION } from '../../adapters/dynamodb/tables.ts';
import { VERIFICATION_PREFIX, verificationGroup } from '../../adapters/stored-job.ts';
import { OWN_SOURCE } from '../../core/model/event.ts';
import type { RecordKey } from '../../core/model/record.ts';
import { offsetFrom, type Transition } from '../../core/model/snapshot.ts';
import { between, type Clock, HOUR, type Instant, plus } from '../../core/model/time.ts';
import type { DocumentStore } from '../../core/ports/document-store.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';

/** The steps in order. Each is the time at which it was done. */
export type VerificationStep = 'requestedAt' | 'committedAt' | 'announcedAt' | 'queuedAt' | 'deliveredAt';

export type VerificationState = { readonly id: string; readonly requestedAt: Instant } & {
  readonly [step in VerificationStep]?: Instant;
};

/** One item, which the next verification overwrites: the table of snapshots deletes nothing by itself. */
export const VERIFICATION_KEY: RecordKey = { source: OWN_SOURCE, resource: VERIFICATION, id: VERIFICATION };

/** The document, by kind and id. */
const DOCUMENT = [VERIFICATION, 'current'] as const;

/** A request that nobody removed is ignored after this time, and expires. */
const MAX_AGE = HOUR;

interface VerificationPorts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

/** Asks for a verification. It replaces one that runs, or that was not removed. */
export async function requestVerification({ documents, clock }: VerificationPorts, id: string): Promise<void> {
  const requestedAt = clock.now();
  await documents.save(...DOCUMENT, { id, requestedAt }, plus(requestedAt, MAX_AGE));
}

/** Undefined if there is none, or if another one has replaced it. */
export async function readVerification(
  { documents }: Pick<VerificationPorts, 'documents'>,
  id: string,
): Promise<VerificationState | undefined> {
  const stored = toVerification(await documents.get(...DOCUMENT));
  return stored?.id === id ? stored : undefined;
}

/** Removes the request. What is still on its way finds none and ends. */
export async function removeVerification({ documents }: Pick<VerificationPorts, 'documents'>): Promise<void> {
  await documents.remove(...DOCUMENT);
}

/** Of `poll`: commits the change of a request. Returns the id of its verification; undefined if nothing was asked for. */
export async function commitVerification(
  ports: VerificationPorts & { readonly snapshots: SnapshotStore },
): Promise<string | undefined> {
  const { documents, snapshots, clock } = ports;
  const asked = toVerification(await documents.get(...DOCUMENT));
  const now = clock.now();
  if (asked === undefined || asked.committedAt !== undefined || between(asked.requestedAt, now) > MAX_AGE)
    return undefined;
  const before = await snapshots.get(VERIFICATION_KEY);
  // Otherwise an earlier run committed it and ended before it could say so.
  if (before?.record.verification !== asked.id) {
    const snapshot = {
      key: VERIFICATION_KEY,
      version: (before?.version ?? 0) + 1,
      ...offsetFrom(before),
      record: { verification: asked.id },
      stage: {},
      deletedAt: null,
      committedAt: now,
      cause: 'poll' as const,
      occurred: { after: null, before: now },
      nextMoment: null,
    };
    const [outcome] = await snapshots.commit([{ snapshot, expected: before?.version ?? 0 }]);
    // Another poll has committed it.
    if (outcome !== 'committed') return undefined;
  }
  await recordStep(ports, asked.id, 'committedAt', before?.record.verification === asked.id ? before.committedAt : now);
  return asked.id;
}

/** The verification that a transition belongs to; undefined for all other transitions. */
export function verificationOf({ after: { key, record } }: Transition): string | undefined {
  const isOwn = key.source === VERIFICATION_KEY.source && key.resource === VERIFICATION_KEY.resource;
  return isOwn ? String(record.verification) : undefined;
}

/** Of `announce`: queues the job of the built-in receiver. Repeated, it queues another one, which changes nothing. */
export async function announceVerification(
  ports: VerificationPorts & { readonly queue: Queue },
  id: string,
): Promise<void> {
  if (!(await recordStep(ports, id, 'announcedAt', ports.clock.now()))) return;
  const job = { kind: 'task', task: `${VERIFICATION_PREFIX}${id}`, attempt: 1, group: verificationGroup(id) } as const;
  await ports.queue.send([job], ports.clock.now());
  await recordStep(ports, id, 'queuedAt', ports.clock.now());
}

/** Of `deliver`: the built-in receiver. Returns whether there was a verification to record. */
export async function receiveVerification(ports: VerificationPorts, task: string): Promise<boolean> {
  return recordStep(ports, task.slice(VERIFICATION_PREFIX.length), 'deliveredAt', ports.clock.now());
}

export const isVerificationTask = (task: string) => task.startsWith(VERIFICATION_PREFIX);

/** The first time counts. Returns false if the verification was removed, or another one has replaced it. */
async function recordStep(
  { documents }: VerificationPorts,
  id: string,
  step: VerificationStep,
  at: Instant,
): Promise<boolean> {
  const stored = await documents.update(...DOCUMENT, (body) =>
    body.id !== id || body[step] !== undefined ? body : { ...body, [step]: at },
  );
  return stored?.id === id;
}

/** Unchecked: only this module writes it. */
function toVerification(body: object | undefined): VerificationState | undefined {
  return body as VerificationState | undefined;
}
