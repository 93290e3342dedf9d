/** Sends spans to AWS X-Ray, as segments. Each names its parent, so that X-Ray shows the way of a change as one trace. */

import { SECOND, toMillis } from '../../core/model/time.ts';
import type { TraceSpan } from '../../core/model/trace.ts';
import type { SpanExporter } from '../../core/ports/span-exporter.ts';
import { AwsError, callAws } from '../aws/call.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';

export interface XrayExporterOptions {
  /** Precedes the name of the span in the name of its segment. */
  readonly service: string;
  /** @default - the SDK's own */
  readonly settings?: AwsClientSettings;
}

const TIMEOUT = 3 * SECOND;

export function xrayExporter({ service, settings = {} }: XrayExporterOptions): SpanExporter {
  let opened: ReturnType<typeof openXray> | undefined;
  return {
    async export(spans, signal) {
      opened ??= openXray(settings);
      const { client, PutTraceSegmentsCommand } = await opened;
      const documents = spans.map((span) => JSON.stringify(toSegment(service, span)));
      const command = new PutTraceSegmentsCommand({ TraceSegmentDocuments: documents });
      const answer = await callAws(client, (options) => client.send(command, options), { timeout: TIMEOUT, signal });
      const [refused] = answer.UnprocessedTraceSegments ?? [];
      if (refused !== undefined)
        throw new AwsError('refused', refused.ErrorCode ?? 'Unprocessed', refused.Message ?? '');
    },
  };
}

async function openXray(settings: AwsClientSettings) {
  const { openXrayClient, PutTraceSegmentsCommand } = await import('./xray-client.ts');
  return { client: openXrayClient(settings), PutTraceSegmentsCommand };
}

const toSeconds = (instant: string) => toMillis(instant) / SECOND;

/** X-Ray finds traces by their annotations, whose names have letters, digits and _ only. */
function toSegment(service: string, { trace, id, parent, name, start, end, attributes, error }: TraceSpan) {
  const { 'http.response.status_code': status, ...facts } = attributes;
  return {
    name: `${service} ${name}`,
    id,
    trace_id: `1-${trace.slice(0, 8)}-${trace.slice(8)}`,
    ...(parent === undefined ? {} : { parent_id: parent }),
    start_time: toSeconds(start),
    end_time: toSeconds(end),
    annotations: Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [key.replace(/^tidings\./, '').replaceAll('.', '_'), value]),
    ),
    ...(status === undefined ? {} : { http: { response: { status } } }),
    ...(error === undefined ? {} : { fault: true, cause: { exceptions: [{ id, message: error }] } }),
  };
}
