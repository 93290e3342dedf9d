/** Port: where spans of traces are sent. */

import type { TraceSpan } from '../model/trace.ts';

export interface SpanExporter {
  /** Throws if the spans were not accepted. */
  export(spans: readonly TraceSpan[], signal?: AbortSignal): Promise<void>;
}
