/** Sends spans to an OpenTelemetry collector, as OTLP over HTTP with JSON. */

import { toMillis } from '../../core/model/time.ts';
import type { SpanKind, TraceSpan } from '../../core/model/trace.ts';
import type { SpanExporter } from '../../core/ports/span-exporter.ts';
import { USER_AGENT } from '../http/user-agent.ts';

export interface OtlpExporterOptions {
  /** Such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  /** The resource attribute `service.name`. */
  readonly service: string;
  /** Headers of every request, such as a key. Called for each, so that a rotated secret is used. @default - none */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
}

/** Numbers of the enums SpanKind and StatusCode of OTLP. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, client: 3, consumer: 5 };
const STATUS_ERROR = 2;

export function otlpExporter({ url, service, headers = async () => ({}) }: OtlpExporterOptions): SpanExporter {
  return {
    async export(spans, signal) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'user-agent': USER_AGENT, ...(await headers()), 'content-type': 'application/json' },
        body: JSON.stringify(toRequest(service, spans)),
        redirect: 'manual',
        ...(signal === undefined ? {} : { signal }),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${response.status} from ${new URL(url).host}`);
    },
  };
}

/** ExportTraceServiceRequest in the JSON encoding of OTLP: ids as hexadecimal digits, 64-bit numbers as text. */
function toRequest(service: string, spans: readonly TraceSpan[]) {
  const resource = { attributes: toAttributes({ 'service.name': service }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tidings' }, spans: spans.map(toOtlpSpan) }] }] };
}

function toOtlpSpan({ trace, id, parent, name, kind, start, end, attributes, error }: TraceSpan) {
  return {
    traceId: trace,
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanos(start),
    endTimeUnixNano: toNanos(end),
    attributes: toAttributes(attributes),
    ...(error === undefined ? {} : { status: { code: STATUS_ERROR, message: error } }),
  };
}

const toNanos = (instant: string) => `${toMillis(instant)}000000`;

function toAttributes(attributes: TraceSpan['attributes']) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}
