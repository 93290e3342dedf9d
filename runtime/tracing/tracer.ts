/**
 * Collects the spans of changes on their way from poll to receiver, and sends them in batches. Both modes use it where they log.
 * Tracing never fails the work: what cannot be sent is dropped and reported.
 */

import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { errorMessage } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { type Clock, type Duration, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import {
  requestSpanId,
  spanId,
  type TraceSpan,
  traceOfEvent,
  traceOfSnapshot,
  traceparentOf,
} from '../../core/model/trace.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SpanExporter } from '../../core/ports/span-exporter.ts';

export interface Tracer {
  /** The same store, whose commits become spans. Baselines do not: they cause no events. */
  traceCommits<Store extends Pick<SnapshotStore, 'commit'>>(snapshots: Store): Store;
  /** @param startedAt when announcing of the batch began */
  announced(events: readonly TidingsEvent[], startedAt: Instant): void;
  delivered(result: DeliveryResult): void;
  /** The same channel, whose messages name their trace. */
  traceRequests(channel: Channel): Channel;
  /** Sends what was collected. Never throws; returns what could not be sent, one sentence each. */
  flush(): Promise<readonly string[]>;
}

export interface TracerOptions {
  readonly exporter: SpanExporter;
  readonly clock: Clock;
  /** Spans that are kept until the next flush; more are dropped. @default 20,000 */
  readonly maxSpans?: number;
}

/** Per request. PutTraceSegments of X-Ray allows no more. */
const BATCH_SIZE = 50;

const MAX_CONCURRENT_BATCHES = 8;

/** For all batches together: a function must end, and a service must stop. */
const FLUSH_TIMEOUT: Duration = 3 * SECOND;

const MAX_SPANS = 20_000;

/** A change by time may be found days after its moment, and no poll takes longer than a function may. */
const MAX_POLL: Duration = 15 * MINUTE;

export function createTracer({ exporter, clock, maxSpans = MAX_SPANS }: TracerOptions): Tracer {
  let spans: TraceSpan[] = [];
  let dropped = 0;
  const add = (...more: readonly TraceSpan[]) => {
    const room = Math.max(0, maxSpans - spans.length);
    spans.push(...more.slice(0, room));
    dropped += Math.max(0, more.length - room);
  };

  return {
    traceCommits: (snapshots) => ({
      ...snapshots,
      async commit(writes) {
        const start = clock.now();
        const outcomes = await snapshots.commit(writes);
        const end = clock.now();
        for (const [at, { snapshot }] of writes.entries()) {
          if (outcomes[at] === 'committed' && snapshot.cause !== 'baseline') add(...commitSpans(snapshot, start, end));
        }
        return outcomes;
      },
    }),

    announced(events, startedAt) {
      const end = clock.now();
      for (const event of events) add(announceSpan(event, startedAt, end));
    },

    delivered: (result) => add(...deliverySpans(result, clock.now())),

    traceRequests: (channel) => ({
      send: (message, signal) => {
        const { events, delivery, at } = message;
        return channel.send({ ...message, traceparent: traceparentOf(events[0], delivery, at) }, signal);
      },
    }),

    async flush() {
      const batches = chunk(spans, BATCH_SIZE);
      const problems = dropped > 0 ? [`${dropped} spans were dropped: more than ${maxSpans} were waiting`] : [];
      spans = [];
      dropped = 0;
      const signal = AbortSignal.timeout(FLUSH_TIMEOUT);
      let unsent = 0;
      let reason = '';
      const sendBatches = async () => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
          try {
            // After one failure the others would most likely fail as well.
            if (unsent === 0) await exporter.export(batch, signal);
            else unsent += batch.length;
          } catch (error) {
            reason ||= errorMessage(error);
            unsent += batch.length;
          }
        }
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENT_BATCHES }, sendBatches));
      return unsent === 0 ? problems : [...problems, `${unsent} spans were not sent: ${reason}`];
    },
  };
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** `poll` from reading the row to the end of its commit; a change by time, a delivery or a person has their name. */
function commitSpans(snapshot: Snapshot, start: Instant, end: Instant): readonly TraceSpan[] {
  const trace = traceOfSnapshot(snapshot);
  const { key, version, cause, occurred } = snapshot;
  const attributes = {
    'tidings.change': `${key.source}/${key.resource}/${key.id} v${version}`,
    'tidings.source': key.source,
    'tidings.resource': key.resource,
  };
  const root = spanId(trace, 'root');
  const readAt = latest(plus(start, -MAX_POLL), occurred.before < start ? occurred.before : start);
  return [
    { trace, id: root, name: cause, kind: 'internal', start: readAt, end, attributes },
    { trace, id: commitSpanId(trace), parent: root, name: 'commit', kind: 'internal', start, end, attributes },
  ];
}

const latest = (a: Instant, b: Instant) => (a > b ? a : b);

const commitSpanId = (trace: string) => spanId(trace, 'commit');
const announceSpanId = (trace: string, event: string) => spanId(trace, 'announce', event);

function announceSpan(event: TidingsEvent, start: Instant, end: Instant): TraceSpan {
  const trace = traceOfEvent(event);
  return {
    trace,
    id: announceSpanId(trace, event.id),
    parent: commitSpanId(trace),
    name: 'announce',
    kind: 'internal',
    start,
    end,
    attributes: { 'tidings.event.id': event.id, 'tidings.event.type': event.type },
  };
}

/** Every event of a message has these in its own trace; the request itself is in that of the first. */
function deliverySpans({ delivery, attempt, events, channel }: DeliveryResult, end: Instant): readonly TraceSpan[] {
  const { number, at, ms, outcome, status, code, message } = attempt;
  const before = delivery.attempts.findLast((one) => one.number === number - 1);
  const queuedAt = before === undefined ? delivery.createdAt : plus(before.at, before.ms);
  const isFailed = outcome === 'retry' || outcome === 'gave-up';
  const failure = isFailed ? { error: [code, message].filter(Boolean).join(': ') } : {};
  const isSent = outcome !== 'skipped';
  const traces = new Map(events.map((event) => [traceOfEvent(event), event.id]));
  return [...traces].flatMap(([trace, event], index): TraceSpan[] => {
    const attributes = {
      'tidings.event.id': event,
      'tidings.delivery.id': delivery.id,
      'tidings.subscription': delivery.subscription,
      'tidings.attempt': number,
      'tidings.outcome': outcome,
      ...(channel === undefined ? {} : { 'tidings.channel': channel }),
    };
    const parent = announceSpanId(trace, event);
    const deliver = spanId(trace, 'deliver', delivery.id, at);
    const queue = spanId(trace, 'queue', delivery.id, at);
    const request: TraceSpan = {
      trace,
      id: requestSpanId(trace, delivery.id, at),
      parent: deliver,
      name: 'request',
      kind: 'client',
      start: at,
      end: plus(at, ms),
      attributes: { ...attributes, ...(status === undefined ? {} : { 'http.response.status_code': status }) },
      ...failure,
    };
    return [
      {
        ...{ trace, id: queue, parent, name: 'queue', kind: 'consumer', attributes },
        ...{ start: queuedAt < at ? queuedAt : at, end: at },
      },
      { trace, id: deliver, parent, name: 'deliver', kind: 'internal', start: at, end, attributes, ...failure },
      ...(index === 0 && isSent ? [request] : []),
    ];
  });
}
