/** The tracer of a function, if the stack has the option `tracing`. */

import type { Tracer } from '../tracing/tracer.ts';
import { type AwsContext, oncePerContext } from './context.ts';
import { TRACING } from './environment.ts';

/** The same for a whole invocation, also if the sources change meanwhile: it has the spans that are sent at the end. */
export const openTracer = oncePerContext(
  async (
    context: Pick<AwsContext, 'clients' | 'environment' | 'clientSettings' | 'clock'>,
  ): Promise<Tracer | undefined> => {
    if (context.environment[TRACING] !== 'xray') return undefined;
    const { openXrayTracer } = await import('./xray-tracer.ts');
    return openXrayTracer(context);
  },
);
