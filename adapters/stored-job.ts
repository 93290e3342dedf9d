/**
 * How queues store a job: one id, with the number of the attempt and the group. The id of a task and its group have
 * prefixes that ids of deliveries and names of subscriptions cannot have, which tells the kinds apart.
 */

import type { Instant } from '../core/model/time.ts';
import type { Job } from '../core/ports/queue.ts';

/** Ids of tasks start with this. All of them are of the Slack app. */
export const TASK_PREFIX = 'slk_';

const TASK_GROUP = 'slack ';

/** The group of the tasks of one Slack channel, which run one after the other. */
export const taskGroup = (channel: string) => `${TASK_GROUP}${channel}`;

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
  if (id.startsWith(TASK_PREFIX)) return { kind: 'task', task: id, attempt, group };
  const job: Job = { kind: 'attempt', delivery: id, attempt, group };
  return dueAt === undefined ? job : { ...job, dueAt };
}

/** Of the jobs of a group. */
export function kindOfGroup(group: string): Job['kind'] {
  return group.startsWith(TASK_GROUP) ? 'task' : 'attempt';
}
