/** A job as the body of a message, and back: small JSON that a person can read in the console. Sends nothing. */

import type { SQSRecord } from 'aws-lambda';
import { GiveUp } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import type { Job } from '../../core/ports/queue.ts';

export function encodeJob({ delivery, attempt, group }: Job): string {
  return JSON.stringify({ delivery, attempt, group });
}

/**
 * The job of a record as Lambda hands it over. Throws GiveUp for a body that is none: whoever wrote it, trying again
 * makes no job of it, and the queue puts it aside after its receives.
 */
export function decodeJob({ messageId, body }: Pick<SQSRecord, 'messageId' | 'body'>): Job {
  const found = readJsonObject(body);
  const [delivery, attempt, group] = ['delivery', 'attempt', 'group'].map((key) => found?.[key]);
  if (
    isNonEmptyText(delivery) &&
    isNonEmptyText(group) &&
    typeof attempt === 'number' &&
    Number.isSafeInteger(attempt) &&
    attempt > 0
  )
    return { delivery, attempt, group };
  throw new GiveUp(
    'TIDINGS_JOB_UNREADABLE',
    `message '${messageId}' of the queue: expected { delivery, attempt, group } as JSON, got ${excerpt(body)}`,
  );
}

const isNonEmptyText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Enough to know it by. */
function excerpt(body: string): string {
  return body === '' ? 'nothing' : `'${body.length > 80 ? `${body.slice(0, 80)}…` : body}'`;
}
