/**
 * How queues store a job: one id, with the number of the attempt and the group. The id of a task and its group have
 * prefixes that ids of deliveries and names of subscriptions cannot have, which distinguishes the kinds.
 */

import type { Instant } from '../core/model/time.ts';
import type { Job } from '../core/ports/queue.ts';

/** Ids of tasks of the Slack app start with this. */
export const TASK_PREFIX = 'slk_';

/** Ids of tasks of `tidings verify` start with this. */
export const VERIFICATION_PREFIX = 'vfy_';

const TASK_GROUP = 'slack ';

/** The group of the tasks of one person in one Slack channel, which run one after the other. @param channel '' for the home */
export const taskGroup = (channel: string, person: string) =>
  `${TASK_GROUP}${channel === '' ? person : `${channel} ${person}`}`;

const VERIFICATION_GROUP = 'verification ';

/** The group of the only task of a verification. */
export const verificationGroup = (id: string) => `${VERIFICATION_GROUP}${id}`;

interface StoredJob {
  /** Of the delivery or the task. */
  readonly id: string;
  readonly attempt: number;
  readonly group: string;
  /** @default - the queue does not keep it */
  readonly dueAt?: Instant;
}

export function storedId(job: Job): string {
  return job.kind === 'task' ? job.task : job.delivery;
}

export function readStoredJob({ id, attempt, group, dueAt }: StoredJob): Job {
  if (id.startsWith(TASK_PREFIX) || id.startsWith(VERIFICATION_PREFIX))
    return { kind: 'task', task: id, attempt, group };
  const job: Job = { kind: 'attempt', delivery: id, attempt, group };
  return dueAt === undefined ? job : { ...job, dueAt };
}

/** Of the jobs of a group. */
export function kindOfGroup(group: string): Job['kind'] {
  return group.startsWith(TASK_GROUP) || group.startsWith(VERIFICATION_GROUP) ? 'task' : 'attempt';
}
