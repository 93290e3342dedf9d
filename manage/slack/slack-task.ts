/**
 * Work of the app that takes longer than Slack waits. It is stored and queued before the request is acknowledged, so that a
 * process that dies loses nothing, and each step is marked, so that a repeated run does not act twice.
 */

import { createHash } from 'node:crypto';
import { TASK_PREFIX, taskGroup } from '../../adapters/stored-job.ts';
import { errorMessage, RetryLater } from '../../core/model/errors.ts';
import { between, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

/** A task: the name of a worker and its arguments. */
export interface SlackWork {
  readonly verb: string;
  readonly args: Readonly<Record<string, string>>;
}

interface SlackTask extends SlackWork {
  readonly id: string;
  readonly place: Omit<SlackPlace, 'responseUrl'>;
  /** Encrypted: it lets anyone post for half an hour. @default - the request has none */
  readonly responseUrl?: string;
  readonly at: Instant;
  readonly status: 'open' | 'done' | 'failed';
  /** Runs so far that failed. */
  readonly failures: number;
  /** Uses of the response URL, of which Slack allows five. */
  readonly responses: number;
  /** Steps that are done, with their results. */
  readonly steps: Readonly<Record<string, string>>;
}

const TASK = 'slack-task';

/** Long enough to see in the store what happened, and for every retry of Slack's. */
const KEPT_FOR = 24 * 60 * MINUTE;

/** A run takes seconds. After this time another process may run the task. */
const LEASE = MINUTE;

/** Slack's response URLs work for half an hour: later nobody waits for an answer. */
const GIVE_UP_AFTER = 25 * MINUTE;
const MAX_FAILURES = 6;

/** Stores and queues the work. Repeating it with the same request has no effect. */
export async function openTask(
  ports: SlackPorts,
  request: { readonly id: string; readonly place: SlackPlace },
  work: SlackWork,
): Promise<string> {
  const { documents, queue, secrets, clock } = ports;
  const { responseUrl, ...place } = request.place;
  const id = taskId(request.id);
  const now = clock.now();
  const task: Omit<SlackTask, 'id'> = {
    ...work,
    place,
    ...(responseUrl === undefined ? {} : { responseUrl: await secrets.seal(responseUrl) }),
    at: now,
    status: 'open',
    failures: 0,
    responses: 0,
    steps: {},
  };
  await documents.add(TASK, id, { ...task }, plus(now, KEPT_FOR));
  await queue.send([{ kind: 'task', task: id, attempt: 1, group: groupOf(place) }], now);
  return id;
}

export function taskId(request: string): string {
  return `${TASK_PREFIX}${createHash('sha256').update(request).digest('hex').slice(0, 32)}`;
}

/** By person too: whoever types a lot in a channel delays nobody else there. */
const groupOf = ({ channel, user }: Pick<SlackPlace, 'channel' | 'user'>) => taskGroup(channel, user);

/** A task while it runs. */
export interface RunningTask {
  readonly task: SlackTask;
  /** Runs a step unless it is done, and returns its result. A step may run again only if the process dies in the middle of it. */
  step(name: string, run: () => Promise<string>): Promise<string>;
  /** Whether one more use of the response URL is allowed; counts it. */
  useResponseUrl(): Promise<boolean>;
}

export type RunTask = (ports: SlackPorts, running: RunningTask) => Promise<void>;

/** Slack's limit. */
const MAX_RESPONSES = 5;

/**
 * Runs the task of a job, once at a time. What failed for a passing reason is queued again; what keeps failing is given up.
 * @param onFailure is called when the task is given up
 */
export async function runSlackTask(
  ports: SlackPorts,
  id: string,
  run: RunTask,
  onFailure: (running: RunningTask, error: unknown) => Promise<void>,
): Promise<void> {
  const { leases, clock, holder } = ports;
  const lease = await leases.acquire(`task ${id}`, `${holder} ${hex(ports)}`, clock.now(), LEASE, {
    isTemporary: true,
  });
  // Another job for the same task is running it.
  if (lease === undefined) return;
  try {
    const running = await readTask(ports, id);
    if (running === undefined) return;
    try {
      await run(ports, running);
      // Without its arguments, which may contain an encrypted token.
      await change(ports, id, (stored) => ({ ...stored, status: 'done', args: {} }));
    } catch (error) {
      await runAgainOrGiveUp(ports, running, error, onFailure);
    }
  } finally {
    await leases.release(lease);
  }
}

const hex = ({ randomBytes }: SlackPorts) => Buffer.from(randomBytes(6)).toString('hex');

async function runAgainOrGiveUp(
  ports: SlackPorts,
  running: RunningTask,
  error: unknown,
  onFailure: (running: RunningTask, error: unknown) => Promise<void>,
): Promise<void> {
  const { id, at, failures, place } = running.task;
  const now = ports.clock.now();
  const count = failures + 1;
  const isOver = count >= MAX_FAILURES || between(at, now) > GIVE_UP_AFTER;
  if (isOver || !(error instanceof RetryLater)) {
    // A second error must not queue the task again.
    await onFailure(running, error).catch(() => {});
    await change(ports, id, (stored) => ({
      ...stored,
      status: 'failed',
      args: {},
      failures: count,
      reason: errorMessage(error).slice(0, 500),
    }));
    return;
  }
  await change(ports, id, (stored) => ({ ...stored, failures: count }));
  const wait = Math.min(5 * MINUTE, Math.max(error.after ?? 0, 2 ** count * SECOND));
  const group = groupOf(place);
  await ports.queue.send([{ kind: 'task', task: id, attempt: count + 1, group, notBefore: plus(now, wait) }], now);
}

function change(ports: SlackPorts, id: string, next: (stored: DocumentBody) => DocumentBody) {
  return ports.documents.update(TASK, id, next);
}

/** Undefined if there is none, or it is done. */
async function readTask(ports: SlackPorts, id: string): Promise<RunningTask | undefined> {
  const body = await ports.documents.get(TASK, id);
  if (body === undefined || body.status !== 'open') return undefined;
  // Only openTask writes these documents.
  const task = { ...(body as unknown as Omit<SlackTask, 'id'>), id };
  const steps = new Map(Object.entries(task.steps));
  return {
    task,
    async step(name, run) {
      const recorded = steps.get(name);
      if (recorded !== undefined) return recorded;
      const result = await run();
      steps.set(name, result);
      await change(ports, id, (stored) => ({ ...stored, steps: { ...Object(stored.steps), [name]: result } }));
      return result;
    },
    async useResponseUrl() {
      let isAllowed = false;
      await change(ports, id, (stored) => {
        isAllowed = Number(stored.responses) < MAX_RESPONSES;
        return isAllowed ? { ...stored, responses: Number(stored.responses) + 1 } : stored;
      });
      return isAllowed;
    },
  };
}
