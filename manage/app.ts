/** The HTTP API for people and monitors, one Hono app wherever it is served. For now it tells whether all is well. */

import { Hono } from 'hono';
import { unscanned } from '../core/model/scan.ts';
import type { Ledger } from '../core/ports/ledger.ts';

export interface ManageOptions {
  readonly ledger: Ledger;
  /** The resources to tell about, by source. */
  readonly resources: readonly { readonly source: string; readonly resource: string }[];
}

/** Failed scans in a row after which a source counts as failing: one or two are the weather. */
const FAILING = 3;

export function manageApp({ ledger, resources }: ManageOptions): Hono {
  const app = new Hono();
  app.get('/health', async (context) => {
    const scans = await Promise.all(
      resources.map(async ({ source, resource }) => {
        return (await ledger.scanState(source, resource)) ?? unscanned(source, resource);
      }),
    );
    const failing = scans.some(({ failures }) => failures >= FAILING);
    const told = scans.map(({ source, resource, lastGoodScanAt, failures, lastError }) => {
      return { source, resource, lastGoodScanAt, failures, lastError };
    });
    return context.json({ status: failing ? 'failing' : 'ok', scans: told }, failing ? 503 : 200);
  });
  return app;
}
