/** Announces one batch of the snapshots' stream in order, and reports the first record that failed. */

import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { type StreamRecord, transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { type AnnouncePorts, announce } from '../../core/events/announce.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { traceOfEvent } from '../../core/model/trace.ts';
import type { DocumentStore } from '../../core/ports/document-store.ts';
import { lazy } from './context.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { changeName } from './log-commits.ts';
import { announceVerification, verificationOf } from './verification.ts';

/** The documents hold the state of a verification. */
export type AnnounceBatchPorts = AnnouncePorts & { readonly documents: DocumentStore };

type AnnounceCall = Pick<Invocation, 'log' | 'count' | 'tracer'>;

/**
 * Lambda repeats the batch from the first failed record on. If that is the first of several, this throws: Lambda then
 * bisects the batch until the record is alone, so that it does not take others with it when it is given up.
 */
export async function announceBatch(
  ports: AnnounceBatchPorts,
  records: readonly DynamoDBRecord[],
  call: AnnounceCall,
): Promise<DynamoDBBatchResponse> {
  try {
    await announceAndLog(ports, records, call);
    return { batchItemFailures: [] };
  } catch {
    // A single record, or a brief store failure. Announcing is idempotent: process one by one to find the failing record.
    return announceOneByOne(withSharedList(ports), records, call);
  }
}

/** The subscriptions are read and compiled once: with a thousand of them it takes a second or two, and a batch has a hundred records. */
function withSharedList(ports: AnnounceBatchPorts): AnnounceBatchPorts {
  const list = lazy(() => ports.subscriptions.list());
  return { ...ports, subscriptions: { ...ports.subscriptions, list } };
}

async function announceOneByOne(
  ports: AnnounceBatchPorts,
  records: readonly DynamoDBRecord[],
  call: AnnounceCall,
): Promise<DynamoDBBatchResponse> {
  for (const [at, record] of records.entries()) {
    try {
      await announceAndLog(ports, [record], call);
    } catch (error) {
      const { eventID, dynamodb } = record;
      call.log.error('announcing a change failed', { change: eventID, error: describeError(error) });
      if (at === 0 && records.length > 1) throw error;
      return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
    }
  }
  return { batchItemFailures: [] };
}

async function announceRecords(ports: AnnounceBatchPorts, records: readonly StreamRecord[]) {
  const transitions = records.flatMap((record) => transitionFromRecord(record) ?? []);
  const changes = transitions.filter((one) => verificationOf(one) === undefined);
  const events = changes.length === 0 ? [] : await announce(ports, changes);
  for (const verification of new Set(transitions.flatMap((one) => verificationOf(one) ?? [])))
    await announceVerification(ports, verification);
  return events;
}

async function announceAndLog(
  ports: AnnounceBatchPorts,
  records: readonly StreamRecord[],
  call: AnnounceCall,
): Promise<void> {
  const startedAt = ports.clock.now();
  const events = await announceRecords(ports, records);
  call.tracer?.announced(events, startedAt);
  logEvents(events, call);
}

function logEvents(events: readonly TidingsEvent[], { log, count, tracer }: AnnounceCall): void {
  count('events', events.length);
  if (events.length === 0) return;
  log.info('announced', {
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      change: changeName(event),
      ...(tracer === undefined ? {} : { trace: traceOfEvent(event) }),
    })),
  });
}
