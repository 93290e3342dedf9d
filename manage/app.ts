/** The HTTP API, one Hono app in both modes: health for monitors, and the unsubscribe pages. */

import { Hono } from 'hono';
import { initialScanState } from '../core/model/scan.ts';
import type { ScanStateStore } from '../core/ports/scan-state-store.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { type UnsubscribeOptions, unsubscribeApp } from './unsubscribe.ts';

export interface ManageOptions {
  readonly scanStates: ScanStateStore;
  readonly subscriptions: SubscriptionStore;
  /** The resources whose scans `/health` reports. */
  readonly resources: readonly { readonly source: string; readonly resource: string }[];
  /** Options of the unsubscribe pages, if the config has a `manage` section. @default - no such pages */
  readonly unsubscribe?: Omit<UnsubscribeOptions, 'subscriptions'>;
}

/** After this many failed scans in a row a source counts as failing. One or two are noise. */
const FAILING_SCANS = 3;

export function manageApp({ scanStates, subscriptions, resources, unsubscribe }: ManageOptions): Hono {
  const app = new Hono();
  app.get('/health', async (context) => {
    const scans = await Promise.all(
      resources.map(async ({ source, resource }) => {
        return (await scanStates.get(source, resource)) ?? initialScanState(source, resource);
      }),
    );
    const failing = scans.some(({ failures }) => failures >= FAILING_SCANS);
    const states = scans.map(({ source, resource, lastGoodScanAt, failures, lastError }) => {
      return { source, resource, lastGoodScanAt, failures, lastError };
    });
    return context.json({ status: failing ? 'failing' : 'ok', scans: states }, failing ? 503 : 200);
  });
  if (unsubscribe !== undefined) app.route('/', unsubscribeApp({ ...unsubscribe, subscriptions }));
  return app;
}
