/** The HTTP API, one Hono app in both modes: health and metrics for monitors, the unsubscribe pages, the management API and the console. */

import { Hono } from 'hono';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { buildHealthReport, type HealthReportOptions } from './health-report.ts';
import { type UnsubscribeOptions, unsubscribeApp } from './unsubscribe.ts';

export interface ManageOptions extends HealthReportOptions {
  readonly subscriptions: SubscriptionStore;
  /** Options of the unsubscribe pages, if the config has a `manage` section. @default - no such pages */
  readonly unsubscribe?: Omit<UnsubscribeOptions, 'subscriptions' | 'clock'>;
  /** Renders the metrics. @default - no such page: in AWS, metrics are in CloudWatch */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** The Slack app's URL, `/slack`. @default - not served */
  readonly slack?: Hono | undefined;
  /** The management API, served under `/v1`. @default - not served */
  readonly api?: Hono;
  /** The console, served under `/console`. @default - not served */
  readonly console?: Hono;
}

export function manageApp(given: ManageOptions): Hono {
  const { subscriptions, unsubscribe, metrics, slack, api, console, ...options } = given;
  const app = new Hono();
  app.get('/health', async (context) => {
    const report = await buildHealthReport(options);
    return context.json(report, report.status === 'ok' ? 200 : 503);
  });
  if (metrics !== undefined) {
    app.get('/metrics', async (context) => {
      const { contentType, text } = await metrics();
      return context.body(text, 200, { 'content-type': contentType });
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
