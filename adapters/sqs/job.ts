/** Encodes a job as the JSON body of an SQS message, and decodes it. */

import type { SQSRecord } from 'aws-lambda';
import { GiveUp } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import type { Job } from '../../core/ports/queue.ts';
import { readStoredJob, storedId } from '../stored-job.ts';

/** The id of a task is in `delivery` too: earlier versions wrote and read it there. */
export function encodeJob(job: Job): string {
  const dueAt = job.kind === 'attempt' ? job.dueAt : undefined;
  return JSON.stringify({ delivery: storedId(job), attempt: job.attempt, group: job.group, dueAt });
}

/** Characters. A job takes a few hundred. */
const MAX_JOB_LENGTH = 64 * 1024;

/** Decodes a record as Lambda passes it. Throws GiveUp if the body is not a job: retrying cannot help. */
export function decodeJob({ messageId, body }: Pick<SQSRecord, 'messageId' | 'body'>): Job {
  const message = body.length > MAX_JOB_LENGTH ? undefined : readJsonObject(body);
  const { delivery: id, attempt, group, dueAt } = message ?? {};
  if (
    isNonEmptyText(id) &&
    isNonEmptyText(group) &&
    typeof attempt === 'number' &&
    Number.isSafeInteger(attempt) &&
    attempt > 0
  )
    return readStoredJob({ id, attempt, group, dueAt: isNonEmptyText(dueAt) ? dueAt : undefined });
  throw new GiveUp(
    'TIDINGS_JOB_UNREADABLE',
    `queue message '${messageId}': expected { delivery, attempt, group } as JSON, got ${excerpt(body)}`,
  );
}

const isNonEmptyText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Enough to recognize the message. */
function excerpt(body: string): string {
  return body === '' ? 'nothing' : `'${body.length > 80 ? `${body.slice(0, 80)}…` : body}'`;
}
