/** The HTTP API, one Hono app in both modes: health and metrics for monitors, the unsubscribe pages, the management API and the console. */

import { Hono } from 'hono';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { createHealthReporter, type HealthReportOptions } from './health-report.ts';
import { describeUnavailable, type Unavailable } from './unavailable.ts';
import { type UnsubscribeOptions, unsubscribeApp } from './unsubscribe.ts';

export interface ManageOptions extends HealthReportOptions {
  readonly subscriptions: SubscriptionStore;
  /** Options of the unsubscribe pages, if the config has a `manage` section. @default - no such pages */
  readonly unsubscribe?: Omit<UnsubscribeOptions, 'subscriptions' | 'clock'>;
  /**
   * Renders the metrics. With `unavailable`, those of the stores are missing or old.
   * @default - no such page: in AWS, metrics are in CloudWatch
   */
  readonly metrics?: () => Promise<{
    readonly contentType: string;
    readonly text: string;
    readonly unavailable?: Unavailable;
  }>;
  /** Whether monitors may ask for this host name. @default - for any: on a network the names are not known */
  readonly isOwnName?: ((hostname: string) => boolean) | undefined;
  /** The Slack app's URL, `/slack`. @default - not served */
  readonly slack?: Hono | undefined;
  /** The management API, served under `/v1`. @default - not served */
  readonly api?: Hono;
  /** The console, served under `/console`. @default - not served */
  readonly console?: Hono;
}

export function manageApp(given: ManageOptions): Hono {
  const { subscriptions, unsubscribe, metrics, slack, api, console, isOwnName, ...options } = given;
  const app = new Hono();
  const reportHealth = createHealthReporter(options);
  if (isOwnName !== undefined) {
    for (const path of ['/health', '/metrics'])
      app.use(path, async (context, next) => {
        const { hostname } = new URL(context.req.url);
        if (isOwnName(hostname)) return next();
        return context.text(`expected the address of this machine or the host of manage.url, got '${hostname}'\n`, 421);
      });
  }
  app.get('/health', async (context) => {
    const report = await reportHealth();
    return context.json(report, report.status === 'ok' ? 200 : 503);
  });
  if (metrics !== undefined) {
    app.get('/metrics', async (context) => {
      const { contentType, text, unavailable } = await metrics();
      const headers = { 'content-type': contentType };
      if (unavailable === undefined) return context.body(text, 200, headers);
      return context.body(`# ${describeUnavailable(unavailable)}\n${text}`, 503, headers);
    });
  }
  const { clock } = options;
  if (unsubscribe !== undefined) app.route('/', unsubscribeApp({ ...unsubscribe, clock, subscriptions }));
  if (slack !== undefined) app.route('/', slack);
  if (api !== undefined) app.route('/v1', api);
  if (console !== undefined) {
    app.get('/', (context) => context.redirect('/console', 303));
    app.route('/console', console);
  }
  return app;
}
