/** Announces a batch of the snapshots' stream, in its order, and says where it stopped when it could not go on. */

import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { type StreamRecord, transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { type AnnouncePorts, announce } from '../../core/events/announce.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { changeName } from './log-commits.ts';

/**
 * The records from the first failing one on come again; those before it are done. Where it stands at the head of others, this
 * throws: Lambda then hands over each half by itself, until that record is alone, and gives up nothing else with it.
 */
export async function announceBatch(
  ports: AnnouncePorts,
  records: readonly DynamoDBRecord[],
  call: Pick<Invocation, 'log' | 'count'>,
): Promise<DynamoDBBatchResponse> {
  try {
    logEvents(await announceRecords(ports, records), call);
    return { batchItemFailures: [] };
  } catch {
    // One of them, or the store for a moment. Announcing again is harmless, so one by one finds out which.
    return announceOneByOne(ports, records, call);
  }
}

async function announceOneByOne(
  ports: AnnouncePorts,
  records: readonly DynamoDBRecord[],
  call: Pick<Invocation, 'log' | 'count'>,
): Promise<DynamoDBBatchResponse> {
  for (const [at, record] of records.entries()) {
    try {
      logEvents(await announceRecords(ports, [record]), call);
    } catch (error) {
      const { eventID, dynamodb } = record;
      call.log.error('a change could not be announced', { change: eventID, error: describeError(error) });
      if (at === 0 && records.length > 1) throw error;
      return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
    }
  }
  return { batchItemFailures: [] };
}

async function announceRecords(ports: AnnouncePorts, records: readonly StreamRecord[]) {
  const transitions = records.flatMap((record) => transitionFromRecord(record) ?? []);
  return transitions.length === 0 ? [] : announce(ports, transitions);
}

function logEvents(events: readonly TidingsEvent[], { log, count }: Pick<Invocation, 'log' | 'count'>): void {
  count('events', events.length);
  if (events.length === 0) return;
  log.info('announced', {
    events: events.map((event) => ({ id: event.id, type: event.type, change: changeName(event) })),
  });
}
