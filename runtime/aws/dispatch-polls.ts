/**
 * Divides the polls of many sources among several executions: every minute one of them finds the sources that are due, and sends one
 * message for each. The queue hands them out in batches of ten, so ten sources wait for their APIs in one billed execution.
 *
 * Sources that are known to take long have a queue of their own, so that the others do not wait for them.
 */

import type { SQSRecord } from 'aws-lambda';
import { inParallel } from '../../adapters/aws/parallel.ts';
import { type QueueAccess, sendMessages } from '../../adapters/sqs/send-messages.ts';
import { readJsonObject } from '../../core/model/json.ts';
import type { Instant } from '../../core/model/time.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { checkDue, type DueCheck } from '../../core/source/check-due.ts';
import type { SourceConfig } from '../config/config.ts';
import type { PollWiring } from '../poll-cycle.ts';
import type { AwsContext } from './context.ts';
import { POLL_QUEUE_URL, SLOW_POLL_QUEUE_URL } from './environment.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { countNothing, type SourceToPoll } from './poll.ts';
import { openSqsClient } from './queue.ts';
import { type FoundMoments, type ReadRange, shareDueReads } from './share-due-reads.ts';
import { countConditions } from './source-metrics.ts';

export interface PollQueues {
  readonly usual: QueueAccess;
  /** For sources that are failing or have an unfinished sweep. */
  readonly slow: QueueAccess;
}

/** Undefined where one execution polls all sources: the stack has these queues only for several. */
export function openPollQueues(aws: AwsContext): PollQueues | undefined {
  const { environment } = aws;
  const [usual, slow] = [environment[POLL_QUEUE_URL], environment[SLOW_POLL_QUEUE_URL]];
  if (usual === undefined || slow === undefined) return undefined;
  const client = openSqsClient(aws);
  return { usual: { client, url: usual }, slow: { client, url: slow } };
}

/** The body of a message. Texts of a moment: when, resource, id. */
interface PollMessage {
  readonly source: string;
  readonly foundAt: Instant;
  /** @default - too many: the poll reads them itself */
  readonly due?: ReadRange & { readonly moments: readonly (readonly [at: Instant, resource: string, id: string])[] };
}

/** About 60 bytes each, in messages of which ten are sent in a request of at most 256 KB. */
const MAX_MOMENTS = 200;

interface Checked {
  readonly source: SourceConfig;
  readonly check?: DueCheck;
  readonly error?: unknown;
}

/** Sends a message for each source that is due. After all are sent, throws the first failure of a check. */
export async function dispatchPolls(
  { config, clock, snapshots, environment }: Pick<AwsContext, 'config' | 'clock' | 'snapshots' | 'environment'>,
  sources: PollWiring['sources'],
  queues: PollQueues,
  call: Pick<Invocation, 'log' | 'count' | 'countSource' | 'id'>,
): Promise<void> {
  const { log, id: cycle } = call;
  countNothing(call);
  const shared = shareDueReads(snapshots);
  const checks = await inParallel(config.sources, (source) => checkSource(sources, shared.snapshots, source));
  for (const { source, error } of checks) {
    if (error !== undefined)
      log.error('check of what is due failed', { cycle, source: source.name, error: describeError(error) });
  }
  const conditions = checks.map(({ source: { name }, check }) => ({
    source: name,
    isFailing: check === undefined || check.isFailing,
    isLagging: check?.isLagging === true,
  }));
  countConditions({ environment }, conditions, call);
  const foundAt = clock.now();
  const due = checks.flatMap(({ source: { name }, check }) =>
    check?.isDue === true
      ? [{ isSlow: check.isSlow, message: { body: encode(name, foundAt, shared.found(name)) } }]
      : [],
  );
  const slow = due.filter(({ isSlow }) => isSlow).map(({ message }) => message);
  const usual = due.filter(({ isSlow }) => !isSlow).map(({ message }) => message);
  await Promise.all([sendMessages(queues.usual, usual), sendMessages(queues.slow, slow)]);
  if (due.length > 0) log.info('sources are due', { cycle, sources: due.length, slow: slow.length });
  const failed = checks.find(({ error }) => error !== undefined);
  if (failed !== undefined) throw failed.error;
}

async function checkSource(
  sources: PollWiring['sources'],
  snapshots: SnapshotStore,
  source: SourceConfig,
): Promise<Checked> {
  const { name, resources, quota } = source;
  try {
    const ports = sources.get(name);
    if (ports === undefined) throw new Error(`source '${name}' was not wired`);
    const options = { source: name, resources, reserve: quota.reserve };
    return { source, check: await checkDue({ ...ports, snapshots }, options) };
  } catch (error) {
    return { source, error };
  }
}

function encode(source: string, foundAt: Instant, found: FoundMoments | undefined): string {
  const message: PollMessage = { source, foundAt };
  if (found === undefined || found.moments.length > MAX_MOMENTS) return JSON.stringify(message);
  const { after, until } = found;
  const moments = found.moments.map(({ at, key: { resource, id } }) => [at, resource, id] as const);
  return JSON.stringify({ ...message, due: { after, until, moments } } satisfies PollMessage);
}

export function isPollBatch(event: unknown): event is { readonly Records: readonly SQSRecord[] } {
  return typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records);
}

/** The sources of a batch, each once. A message that cannot be used is logged: the next minute brings another. */
export function readPollBatch(
  records: readonly SQSRecord[],
  { config }: Pick<AwsContext, 'config'>,
  { log, id: cycle }: Pick<Invocation, 'log' | 'id'>,
): readonly SourceToPoll[] {
  const batch = new Map<string, SourceToPoll>();
  for (const { body, messageId } of records) {
    const message = decode(body);
    const source = config.sources.find(({ name }) => name === message?.source);
    if (message === undefined)
      log.error('unreadable message: expected { source, foundAt } as JSON', { cycle, messageId });
    else if (source === undefined) log.info('no such source any more', { cycle, source: message.source });
    else batch.set(source.name, { source, ...withFound(message) });
  }
  return [...batch.values()];
}

function withFound({ source, due }: PollMessage): Pick<SourceToPoll, 'found'> {
  if (due === undefined) return {};
  const moments = due.moments.map(
    ([at, resource, id]) => ({ kind: 'stage', at, key: { source, resource, id } }) as const,
  );
  return { found: { after: due.after, until: due.until, moments } };
}

/** Only this function sends to these queues, so the parts are not checked further. */
function decode(body: string): PollMessage | undefined {
  const message = readJsonObject(body);
  const isMessage = typeof message?.source === 'string' && typeof message.foundAt === 'string';
  return isMessage ? (message as unknown as PollMessage) : undefined;
}
