/** Port: the queue of work to do now. At-least-once delivery, unordered; unacknowledged jobs are received again. */

import { attemptsMade, type Delivery } from '../model/delivery.ts';
import type { Duration, Instant } from '../model/time.ts';

/** An attempt to make at a delivery. */
export interface AttemptJob {
  readonly kind: 'attempt';
  readonly delivery: string;
  /** Number of the attempt to make. A job for an attempt that is already recorded is stale and ignored. */
  readonly attempt: number;
  /** Jobs of different groups do not wait for each other. */
  readonly group: string;
  /**
   * The `dueAt` of the delivery for which the job was queued. With another value the job is stale: the delivery was queued
   * again or rescheduled since. @default - unknown: the queue merges the jobs of an attempt, or an older version sent it
   */
  readonly dueAt?: Instant;
}

/** Work that is no delivery and shares the queue, such as that of the Slack app. */
interface TaskJob {
  readonly kind: 'task';
  readonly task: string;
  /** 1 for the first run. A run that is queued again has the next number. */
  readonly attempt: number;
  readonly group: string;
}

export type Job = AttemptJob | TaskJob;

/** The job for the next attempt at a delivery as it is stored. @param owner of its subscription */
export function jobFor(delivery: Delivery, owner?: string): AttemptJob & NewJob {
  const { id, subscription: group, dueAt } = delivery;
  const attempt = attemptsMade(delivery) + 1;
  return { kind: 'attempt', delivery: id, attempt, group, dueAt: dueAt ?? undefined, ...(owner && { owner }) };
}

/** A job to send. */
export type NewJob = Job & {
  /** Not received before this instant, which is no more than 15 minutes ahead. @default - immediately */
  readonly notBefore?: Instant;
  /**
   * Who made the subscription. A queue that schedules fairly by itself takes turns between owners, so that a thousand
   * subscriptions of one do not delay another; a receiver that uses `room` does that itself. @default - the group
   */
  readonly owner?: string;
};

export interface ReceivedJob {
  readonly job: Job;
  /** Identifies this receipt; a job received again has a new one. */
  readonly receipt: string;
  /** 1 the first time. */
  readonly receives: number;
}

export interface ReceiveOptions {
  /** A function is called when the jobs are taken, which may be later than the call. */
  readonly limit: number | (() => number);
  /** How long the job is hidden from other receivers; then it is received again unless acknowledged. */
  readonly visibility: Duration;
  /**
   * How many more jobs of a group the receiver can take, so that one group's backlog does not starve the others. All jobs of
   * a group are of one kind. A queue with fair scheduling may ignore it. @default - `limit`
   */
  readonly room?: (group: string, kind: Job['kind']) => number;
  /** Called with the number of jobs that were taken of a group, before `room` is asked about the next one. @default - not called */
  readonly took?: (group: string, count: number) => void;
}

export interface Queue {
  /** A job that is already queued may be merged with it. */
  send(jobs: readonly NewJob[], now: Instant): Promise<void>;
  receive(options: ReceiveOptions, now: Instant): Promise<readonly ReceivedJob[]>;
  /** Removes the job. Has no effect with the receipt of an earlier receive. */
  acknowledge(received: ReceivedJob): Promise<void>;
}
