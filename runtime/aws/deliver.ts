/**
 * Makes the attempts of one batch of the queue, with a concurrency limit per subscription, and reports the messages to
 * receive again. The core decides what follows from an attempt.
 */

import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { type DeliverPorts, type DeliveryResult, deliver } from '../../core/delivery/deliver.ts';
import type { Lanes } from '../../core/delivery/lanes.ts';
import { unbookSlots } from '../../core/delivery/unbook-slots.ts';
import { between, type Duration, SECOND } from '../../core/model/time.ts';
import { isTaskJob, type Job } from '../../core/ports/queue.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { createSignal } from '../embedded/signal.ts';
import { type DeliveryLimits, shareRateLimit } from './delivery-limits.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { changeName, logCommits } from './log-commits.ts';

/** Reserved for saving outcomes: attempts still in flight are aborted by then, and retried later. */
const SHUTDOWN_MARGIN: Duration = 5 * SECOND;

/** No attempt starts with less time left: mail takes up to 30 s, other channels 15 s, or twice that after a secret was rotated. */
const MIN_ATTEMPT_TIME: Duration = 30 * SECOND + SHUTDOWN_MARGIN;

interface Message {
  readonly id: string;
  readonly job: Job;
}

/** Runs work of the Slack app. @param report receives the error of work that is given up */
export type RunTaskJob = (id: string, report: (error: unknown) => void) => Promise<void>;

export async function deliverBatch(
  ports: DeliverPorts & DeliveryLimits & { readonly rateLimiter: RateLimiter; readonly runTask?: RunTaskJob },
  records: readonly SQSRecord[],
  call: Invocation,
): Promise<SQSBatchResponse> {
  const { log } = call;
  const onReset = async (subscription: string) => {
    log.info('slots are booked again: the rate changed, or the clock had been ahead', { subscription });
    await unbookSlots(ports, subscription);
  };
  const takeSlot = shareRateLimit({ ...ports, onReset }, () => call.timeLeft() - MIN_ATTEMPT_TIME);
  const loggedPorts: DeliverPorts = {
    ...ports,
    // The health of a receiver is also stored as a snapshot.
    snapshots: logCommits(ports.snapshots, call),
    waitForSlot: async (delivery) => {
      const slot = await takeSlot(delivery);
      const { id, subscription } = delivery;
      if (slot !== undefined)
        log.info('rate limit reached, attempt rescheduled', { delivery: id, subscription, until: slot.at });
      return slot;
    },
  };
  const failed: string[] = [];
  const fail = (messageId: string, error: unknown, job?: Job) => {
    failed.push(messageId);
    const ids = job === undefined ? {} : { delivery: job.delivery, subscription: job.group };
    log.error('message failed, will be received again', { messageId, ...ids, error: describeError(error) });
  };
  const known = new Set<string>();
  const messages = records.flatMap((record): Message[] => {
    try {
      const job = decodeJob(record);
      const name = `${job.delivery} ${job.attempt} ${job.dueAt}`;
      // SQS may deliver a message twice: both copies would send.
      if (known.has(name)) return [];
      known.add(name);
      return [{ id: record.messageId, job }];
    } catch (error) {
      // Not a job: after the maximum number of receives SQS moves it to the dead-letter queue.
      fail(record.messageId, error);
      return [];
    }
  });
  const stop = call.stopBefore(SHUTDOWN_MARGIN);
  const notStarted = await attemptInLanes(messages, ports.lanes, call.timeLeft, async ({ id, job }) => {
    try {
      if (isTaskJob(job)) {
        await runTask(ports.runTask, job, call);
        return undefined;
      }
      const delivered = await deliver(loggedPorts, job, stop);
      logAttempt(delivered, job, ports, call);
      return delivered;
    } catch (error) {
      fail(id, error, job);
      return 'failed';
    }
  });
  // Done for the queue, but still on the agenda: tick re-queues what was not attempted.
  for (const { job } of notStarted) {
    log.info('no time left, tick will re-queue it', { delivery: job.delivery, subscription: job.group });
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** If the config no longer has the app, its work is dropped: nothing can answer any more. */
async function runTask(run: RunTaskJob | undefined, { delivery: task }: Job, { log }: Invocation): Promise<void> {
  if (run === undefined) {
    log.warn('the config has no Slack app, its work is dropped', { task });
    return;
  }
  await run(task, (error) => log.error('work of the Slack app failed', { task, error: describeError(error) }));
  log.info('work of the Slack app done', { task });
}

/** Starts attempts as their lanes have capacity, while there is time. Returns the messages that were not started. */
async function attemptInLanes(
  messages: readonly Message[],
  lanes: Lanes,
  timeLeft: Invocation['timeLeft'],
  attempt: (message: Message) => Promise<DeliveryResult | undefined | 'failed'>,
): Promise<readonly Message[]> {
  const wakeUp = createSignal();
  let waiting = [...messages];
  let inFlight = 0;
  const begin = async (message: Message): Promise<void> => {
    const { group } = message.job;
    lanes.begin(group, performance.now());
    inFlight += 1;
    const result = await attempt(message);
    lanes.end(group, result === undefined ? 'unsent' : isSettled(result) ? 'success' : 'failure');
    inFlight -= 1;
    wakeUp.notify();
  };
  while (waiting.length > 0 && timeLeft() > MIN_ATTEMPT_TIME) {
    const blocked: Message[] = [];
    for (const message of waiting) {
      if (lanes.room(message.job.group, performance.now()) > 0) void begin(message);
      else blocked.push(message);
    }
    waiting = blocked;
    if (waiting.length === 0) break;
    await wakeUp.wait(Math.max(0, timeLeft() - MIN_ATTEMPT_TIME));
  }
  while (inFlight > 0) await wakeUp.wait();
  return waiting;
}

const isSettled = (result: DeliveryResult | 'failed') => result !== 'failed' && result.delivery.status === 'settled';

function logAttempt(
  delivered: DeliveryResult | undefined,
  job: Job,
  { clock }: DeliverPorts,
  { log, count }: Invocation,
): void {
  const { delivery: id, group: subscription } = job;
  if (delivered === undefined) {
    log.debug('nothing to attempt: the job was stale, or the delivery is held or rescheduled', {
      delivery: id,
      subscription,
    });
    return;
  }
  const { attempt, delivery, events } = delivered;
  const { outcome, number, status, ms, code, message } = attempt;
  const names = {
    delivery: delivery.id,
    events: events.map(({ id }) => id),
    changes: events.map(changeName),
    subscription,
  };
  const result = { attempt: number, status, ms, dueAt: delivery.dueAt };
  const problem = message === undefined ? {} : { problem: { code, message } };
  const isFine = outcome === 'accepted' || outcome === 'skipped';
  log[isFine ? 'info' : 'warn'](outcome, { ...names, ...result, ...problem });
  count('accepted', outcome === 'accepted' ? 1 : 0);
  count('retried', outcome === 'retry' && delivery.dueAt !== null ? 1 : 0);
  count('givenUp', delivery.status === 'failed' ? 1 : 0);
  if (outcome === 'accepted') count('latency', between(delivery.createdAt, clock.now()));
}
