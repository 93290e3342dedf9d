/** The HTTP API for people and monitors, one Hono app wherever it is served. For now it tells whether all is well. */

import { Hono } from 'hono';
import { unscanned } from '../core/model/scan.ts';
import type { Ledger } from '../core/ports/ledger.ts';

export interface ManageOptions {
  readonly ledger: Ledger;
  /** Names of the sources to tell about. */
  readonly sources: readonly string[];
}

/** Failed scans in a row after which a source counts as failing: one or two are the weather. */
const FAILING = 3;

export function manageApp({ ledger, sources }: ManageOptions): Hono {
  const app = new Hono();
  app.get('/health', async (context) => {
    const scans = await Promise.all(
      sources.map(async (source) => (await ledger.scanState(source, 'task')) ?? unscanned(source, 'task')),
    );
    const failing = scans.some(({ failures }) => failures >= FAILING);
    return context.json({ status: failing ? 'failing' : 'ok', scans }, failing ? 503 : 200);
  });
  return app;
}
