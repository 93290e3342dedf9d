/**
 * The trace of a change: its way from the poll to the receivers, as spans. All ids are derived from the change and the delivery, so
 * that nothing has to be stored or passed on: poll, announce and deliver know them by themselves, also after a restart.
 */

import { createHash } from 'node:crypto';
import { sourceUri, type TidingsEvent } from './event.ts';
import { subjectOf } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import { type Instant, SECOND, toMillis } from './time.ts';

/** `internal` happens in Tidings, `client` is a request to another system, `consumer` waits in a queue. */
export type SpanKind = 'internal' | 'client' | 'consumer';

export interface TraceSpan {
  /** 32 hexadecimal digits, as in W3C Trace Context. */
  readonly trace: string;
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** @default - the first span of its trace */
  readonly parent?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start: Instant;
  readonly end: Instant;
  /** By names such as `tidings.event.id`. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** @default - it succeeded */
  readonly error?: string;
}

/** The facts of a change that its snapshot and all its events have in common. */
interface TracedChange {
  readonly source: string;
  readonly subject: string;
  readonly version: number;
  readonly at: Instant;
}

export function traceOfSnapshot({ key, version, committedAt }: Snapshot): string {
  return traceOf({ source: sourceUri(key.source), subject: subjectOf(key), version, at: committedAt });
}

export function traceOfEvent({ source, subject, data, time }: TidingsEvent): string {
  return traceOf({ source, subject, version: data.version, at: time });
}

/** Starts with the second of the change: X-Ray reads the age of a trace from its id. */
function traceOf({ source, subject, version, at }: TracedChange): string {
  const seconds = Math.floor(toMillis(at) / SECOND) % 2 ** 32;
  const hash = createHash('sha256')
    .update(JSON.stringify([source, subject, version, at]))
    .digest('hex');
  return seconds.toString(16).padStart(8, '0') + hash.slice(0, 24);
}

/** @param names what the span is, and what distinguishes it from others of its trace */
export function spanId(trace: string, ...names: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify([trace, ...names]))
    .digest('hex')
    .slice(0, 16);
}

/** The request of one attempt, as the receiver gets it in the header `traceparent`. */
export function requestSpanId(trace: string, delivery: string, at: Instant): string {
  return spanId(trace, 'request', delivery, at);
}

/** The header of W3C Trace Context, version 00, sampled. */
export function traceparentOf(event: TidingsEvent, delivery: string, at: Instant): string {
  const trace = traceOfEvent(event);
  return `00-${trace}-${requestSpanId(trace, delivery, at)}-01`;
}
