/** The API clients of a function in AWS, while sources are added, changed and removed. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSourceApis } from '../../../runtime/aws/source-apis.ts';
import type { SourceConfig } from '../../../runtime/config/config.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openSourceApi } from '../../../runtime/open-source-api.ts';
import type { Simulator } from '../../../simulator/simulator.ts';
import { type LiveConnections, startLiveConnections } from '../../live-connections.ts';
import { startStill } from '../../simulator/api-client.ts';

let simulator: Simulator;
let api: LiveConnections;
beforeEach(async () => {
  simulator = await startStill({ tasks: 5, quota: 1_000_000 });
  api = await startLiveConnections(simulator.url);
});
afterEach(async () => {
  await api.stop();
  await simulator.stop();
});

function sourcesOf(
  ...given: readonly { readonly name: string; readonly timeZone?: string }[]
): readonly SourceConfig[] {
  const token = simulator.tokens.Administrator[0];
  const sources = given.map((one) => ({ baseUrl: api.url, token, quota: { perMinute: 10_000 }, ...one }));
  return parseTree('test', { sources, network: { allowHttp: true, allow: ['127.0.0.0/8'] } }, {}).sources;
}

const open = (source: SourceConfig) => openSourceApi(source, { resolve: async (token) => token }, () => 0);

it('closes the connections of a changed source, and keeps those of the others, over 1,000 changes', async () => {
  const apis = createSourceApis();
  let kept: unknown;
  for (let change = 0; change < 1000; change++) {
    const timeZone = change % 2 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo';
    const opened = apis.openAll(sourcesOf({ name: 'main' }, { name: 'north', timeZone }), open);
    kept ??= opened.get('main');
    expect(opened.get('main')).toBe(kept);
    await opened.get('north')?.quota();
    if (change % 100 === 0) await opened.get('main')?.quota();
  }
  await vi.waitFor(() => expect(api.live).toBeLessThanOrEqual(2), { timeout: 20_000, interval: 10 });
  // One for each changed one, and one for the unchanged one.
  expect(api.opened).toBeLessThanOrEqual(1000 + 10);
  apis.openAll([], open);
  await vi.waitFor(() => expect(api.live).toBe(0), { timeout: 20_000, interval: 10 });
}, 120_000);

it('lets requests in flight finish after their source was removed', async () => {
  const apis = createSourceApis();
  const pending = apis
    .openAll(sourcesOf({ name: 'main' }), open)
    .get('main')
    ?.quota();
  apis.openAll([], open);
  expect(await pending).toMatchObject({ limit: 1_000_000 });
});
