/**
 * Makes the attempts of one batch of the queue, with a concurrency limit per subscription, and reports the messages to
 * receive again. The core decides what follows from an attempt.
 */

import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { decodeLate } from '../../adapters/sqs/late-job.ts';
import { storedId } from '../../adapters/stored-job.ts';
import { type DeliverOutcome, type DeliverPorts, deliver } from '../../core/delivery/deliver.ts';
import type { LaneOutcome, Lanes } from '../../core/delivery/lanes.ts';
import { unbookSlots } from '../../core/delivery/unbook-slots.ts';
import { isDropped } from '../../core/model/delivery.ts';
import { between, type Duration, SECOND } from '../../core/model/time.ts';
import { traceOfEvent } from '../../core/model/trace.ts';
import type { DocumentStore } from '../../core/ports/document-store.ts';
import type { LeaseStore } from '../../core/ports/lease-store.ts';
import type { AttemptJob, Job } from '../../core/ports/queue.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { createSignal } from '../embedded/signal.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { type DeliveryLimits, type RateLimitPorts, shareConcurrency, shareRateLimit } from './delivery-limits.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { changeName, logCommits } from './log-commits.ts';
import { type LateJobs, type LateMessage, openLateMessages } from './open-late-messages.ts';
import { paceTemplates } from './pace-templates.ts';
import { shareExecutions } from './share-executions.ts';
import { isVerificationTask, receiveVerification } from './verification.ts';

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

export interface DeliverBatchPorts extends DeliverPorts, DeliveryLimits {
  readonly rateLimiter: RateLimiter;
  readonly leases: LeaseStore;
  /** @default - the config has no Slack app */
  readonly runTask?: RunTaskJob | undefined;
  /** The state of a verification. */
  readonly documents: DocumentStore;
  /** @default - no subscription has an owner */
  readonly lateJobs?: LateJobs | undefined;
  /** Executions of this function at a time at most. @default 20 */
  readonly executions?: number | undefined;
}

/** Of a hundred deliveries each. An execution that books the slots of one subscription again leaves the rest to the next attempt. */
const MAX_UNBOOKED_PAGES = 10;

export async function deliverBatch(
  ports: DeliverBatchPorts,
  records: readonly SQSRecord[],
  call: Invocation,
): Promise<SQSBatchResponse> {
  const { log } = call;
  const unbooked = new Set<string>();
  const onReset: RateLimitPorts['onReset'] = async (subscription, { interval, reset }) => {
    if (unbooked.has(subscription)) return;
    unbooked.add(subscription);
    log.info('slots are booked again: the rate changed, or the clock had been ahead', { subscription });
    const isOfRate = reset === 'rate';
    // Only after a change of the rate another booking goes on with the rest.
    let pages = isOfRate ? MAX_UNBOOKED_PAGES : Number.POSITIVE_INFINITY;
    const mayGoOn = () => {
      pages -= 1;
      return pages >= 0 && call.timeLeft() > MIN_ATTEMPT_TIME && signalOf(subscription)?.aborted !== true;
    };
    const isDone = await unbookSlots(ports, subscription, { interval: isOfRate ? interval : undefined, mayGoOn });
    if (isDone && isOfRate) await ports.rateLimiter.endReset(subscription, interval);
  };
  const maxWait = () => call.timeLeft() - MIN_ATTEMPT_TIME;
  const share = shareExecutions({
    ...ports,
    holder: call.id,
    onAbort: (owner) => log.info('slow receivers of one owner leave this execution to others', { owner }),
  });
  const signalOf = (subscription: string) => {
    const { owner, isForPeople = false } = ports.limits(subscription);
    // An aborted message may have been sent: only programs recognize that it comes twice.
    return isForPeople ? undefined : share.signalOf(owner);
  };
  const readLimits = async (names: readonly string[]) => ports.readLimits?.(names);
  const takeSlot = shareRateLimit({ ...ports, onReset, signalOf }, maxWait);
  const takeTurn = shareConcurrency({ ...ports, signalOf }, maxWait);
  const loggedPorts: DeliverPorts = {
    ...ports,
    // The health of a receiver is also stored as a snapshot.
    snapshots: logCommits(ports.snapshots, call),
    // A renamed subscription has another name than the group of the job.
    waitForSlot: async (delivery) => {
      await readLimits([delivery.subscription]);
      return takeSlot(delivery);
    },
    channelFor: paceTemplates(
      call.tracer === undefined ? ports.channelFor : traceChannels(ports.channelFor, call.tracer),
    ),
  };
  const failed: string[] = [];
  const fail = (messageId: string, error: unknown, job?: Job) => {
    failed.push(messageId);
    const ids = job === undefined ? {} : logIds(job);
    log.error('message failed, will be received again', { messageId, ...ids, error: describeError(error) });
  };
  const names = new Set<string>();
  const lateMessages: LateMessage[] = [];
  const messages = records.flatMap((record): Message[] => {
    try {
      const late = decodeLate(record.body);
      if (late !== undefined) {
        const isRepeated = Number(record.attributes.ApproximateReceiveCount) > 1;
        lateMessages.push({ id: record.messageId, late, isRepeated });
        return [];
      }
      const job = decodeJob(record);
      const name = `${storedId(job)} ${job.attempt} ${job.kind === 'attempt' ? job.dueAt : ''}`;
      // SQS may deliver a message twice: both copies would send.
      if (names.has(name)) return [];
      names.add(name);
      return [{ id: record.messageId, job }];
    } catch (error) {
      // Not a job: after the maximum number of receives SQS moves it to the dead-letter queue.
      fail(record.messageId, error);
      return [];
    }
  });
  const stop = call.stopBefore(SHUTDOWN_MARGIN);
  const opened = openLateMessages(ports, lateMessages, share, call, fail);
  await readLimits(messages.map(({ job }) => job.group)).catch(() => {
    // Each attempt reads its own again, and fails without.
  });
  const notStarted = await attemptInLanes(messages, ports.lanes, call.timeLeft, async ({ id, job }) => {
    try {
      if (job.kind === 'task') {
        if (isVerificationTask(job.task)) await receiveVerification(ports, job.task);
        else await runTask(ports.runTask, job.task, call);
        return 'unsent';
      }
      await readLimits([job.group]);
      const own = signalOf(job.group);
      const giveBack =
        own?.aborted === true ? undefined : await takeTurn(job.group, `${job.delivery} ${job.attempt} ${id}`);
      if (giveBack === undefined) {
        // As without time: it is still on the agenda.
        log.info(
          'as many attempts as the subscription or its key may have are in flight, tick will re-queue it',
          logIds(job),
        );
        return 'unsent';
      }
      const signal = own === undefined ? stop : AbortSignal.any([stop, own]);
      const outcome = await deliver(loggedPorts, job, { signal }).finally(giveBack);
      logOutcome(outcome, job, ports, call);
      if (outcome.kind !== 'attempted') return 'unsent';
      return outcome.result.delivery.status === 'settled' ? 'success' : 'failure';
    } catch (error) {
      fail(id, error, job);
      return 'failure';
    }
  });
  await opened;
  await share.end();
  for (const { id, job } of notStarted) {
    if (job.kind === 'task') {
      // It is on no agenda: the queue gives it again.
      failed.push(id);
      log.info('no time left, the queue will give it again', logIds(job));
    } else {
      // Done for the queue, but still on the agenda.
      log.info('no time left, tick will re-queue it', logIds(job));
    }
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

const traceChannels =
  (channelFor: DeliverPorts['channelFor'], { traceRequests }: Tracer): DeliverPorts['channelFor'] =>
  (target) =>
    traceRequests(channelFor(target));

function logIds(job: Job): Record<string, string> {
  return job.kind === 'task' ? { task: job.task } : { delivery: job.delivery, subscription: job.group };
}

/** If the config no longer has the app, its work is dropped: nothing can answer any more. */
async function runTask(run: RunTaskJob | undefined, task: string, { log }: Invocation): Promise<void> {
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
  attempt: (message: Message) => Promise<LaneOutcome>,
): Promise<readonly Message[]> {
  const wakeUp = createSignal();
  let waiting = [...messages];
  let inFlight = 0;
  const begin = async (message: Message): Promise<void> => {
    const { group } = message.job;
    lanes.begin(group, performance.now());
    inFlight += 1;
    lanes.end(group, await attempt(message));
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

function logOutcome(
  outcome: DeliverOutcome,
  job: AttemptJob,
  { clock }: DeliverPorts,
  { log, count, tracer }: Invocation,
): void {
  if (outcome.kind === 'postponed' && outcome.because === 'rate-limit') {
    log.info('rate limit reached, attempt rescheduled', { ...logIds(job), until: outcome.until });
    return;
  }
  if (outcome.kind === 'too-late') {
    log.warn('given up: its rate does not allow to send it in time', logIds(job));
    return;
  }
  if (outcome.kind !== 'attempted') {
    const { kind, ...details } = outcome;
    log.debug(`no attempt recorded: ${kind}`, { ...logIds(job), ...details });
    return;
  }
  tracer?.delivered(outcome.result);
  const { attempt, delivery, events, owner } = outcome.result;
  const { outcome: answer, number, status, ms, code, message } = attempt;
  const names = {
    delivery: delivery.id,
    events: events.map(({ id }) => id),
    changes: events.map(changeName),
    ...(tracer === undefined ? {} : { traces: events.map(traceOfEvent) }),
    subscription: job.group,
  };
  const result = { attempt: number, status, ms, dueAt: delivery.dueAt };
  const problem = message === undefined ? undefined : { code, message };
  const isFine = answer === 'accepted' || answer === 'skipped' || isDropped(attempt);
  log[isFine ? 'info' : 'warn'](answer, { ...names, ...result, problem });
  count('accepted', answer === 'accepted' ? 1 : 0);
  count('retried', answer === 'retry' && delivery.dueAt !== null ? 1 : 0);
  // An alarm is about the operator's receivers. A key would raise it with any receiver of its own, and a test with the first failure.
  const isAlarming = owner === undefined && delivery.mark !== 'test' && !isDropped(attempt);
  count('givenUp', delivery.status === 'failed' && isAlarming ? 1 : 0);
  if (answer === 'accepted') count('latency', between(delivery.createdAt, clock.now()));
}
