/** The tracer that sends to X-Ray. A separate module: the bundles of deployments without tracing leave it out. */

import { xrayExporter } from '../../adapters/tracing/xray.ts';
import { createTracer, type Tracer } from '../tracing/tracer.ts';
import type { AwsContext } from './context.ts';
import { DEPLOYMENT } from './environment.ts';
import { DEFAULT_SERVICE } from './metrics.ts';

export function openXrayTracer({
  environment,
  clientSettings,
  clock,
}: Pick<AwsContext, 'environment' | 'clientSettings' | 'clock'>): Tracer {
  const service = environment[DEPLOYMENT] ?? DEFAULT_SERVICE;
  return createTracer({ exporter: xrayExporter({ service, settings: clientSettings.xray ?? {} }), clock });
}
