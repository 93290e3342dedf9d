/** The tracer of a function, if the stack has the option `tracing`. */

import type { Tracer } from '../tracing/tracer.ts';
import type { AwsContext } from './context.ts';
import { TRACING } from './environment.ts';

export async function openTracer(
  context: Pick<AwsContext, 'environment' | 'clientSettings' | 'clock'>,
): Promise<Tracer | undefined> {
  if (context.environment[TRACING] !== 'xray') return undefined;
  const { openXrayTracer } = await import('./xray-tracer.ts');
  return openXrayTracer(context);
}
