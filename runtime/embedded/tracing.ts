/** The tracer of the embedded mode, if the config has the section `tracing`: sends spans every few seconds, and at the end. */

import { otlpExporter } from '../../adapters/tracing/otlp.ts';
import { type Clock, SECOND } from '../../core/model/time.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Config } from '../config/config.ts';
import { createTracer, type Tracer } from '../tracing/tracer.ts';

export interface ServiceTracer extends Tracer {
  /** Sends what is left. */
  close(): Promise<void>;
}

export interface ServiceTracerOptions {
  readonly config: Pick<Config, 'tracing'>;
  readonly secrets: Pick<Secrets, 'resolve'>;
  readonly clock: Clock;
  /** Receives what could not be sent, once per outage of the collector. */
  readonly report: (message: string) => void;
}

const FLUSH_EVERY = 5 * SECOND;

export function openServiceTracer(options: ServiceTracerOptions): ServiceTracer | undefined {
  const { config, secrets, clock, report } = options;
  if (config.tracing === undefined) return undefined;
  const { otlp: url, service, headers: references = {} } = config.tracing;
  const headers = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(references).map(async ([name, reference]) => [name, await secrets.resolve(reference)] as const),
      ),
    );
  const tracer = createTracer({ exporter: otlpExporter({ url, service, headers }), clock });
  let isFailing = false;
  let sending: Promise<void> = Promise.resolve();
  const send = async () => {
    const problems = await tracer.flush();
    if (!isFailing) for (const problem of problems) report(`tracing: ${problem}`);
    isFailing = problems.length > 0;
  };
  const timer = setInterval(() => {
    sending = sending.then(send);
  }, FLUSH_EVERY).unref();
  return {
    ...tracer,
    close: async () => {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}
