/** The examples of docs/api/ are run against a real server. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiWorld, startApiWorld, taskEvent } from '../manage/api-world.ts';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');

let world: ApiWorld;
let url: string;
let closeServer: () => void;
const folder = mkdtempSync(join(tmpdir(), 'tidings-api-docs-'));
beforeAll(async () => {
  world = await startApiWorld();
  await new Promise<void>((resolve) => {
    const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      url = `http://127.0.0.1:${port}`;
      resolve();
    });
    closeServer = () => server.close();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  closeServer();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('docs/api/client.md', () => {
  it('shows a program that works', async () => {
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(read('docs/api/client.md')) ?? [];
    const client = pathToFileURL(join(root, 'kit/client.ts')).href;
    const file = join(folder, 'sample.mjs');
    writeFileSync(file, code.replace("'tidings/client'", `'${client}'`));
    vi.stubEnv('TIDINGS_API_URL', url);
    vi.stubEnv('TIDINGS_API_KEY', world.admin);
    vi.stubEnv('HOOK', world.receiver.url);
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
    await world.record(taskEvent('1', 'invoice.paid'));
    await import(file);
    expect(printed.mock.calls).toEqual([
      ['keep this secret:', expect.stringMatching(/^whsec_/)],
      [taskEvent('1').id, 'invoice.paid'],
      [422, 'TIDINGS_API_INVALID', [{ pointer: '/events/0', detail: expect.stringContaining('invoice.paid') }]],
    ]);
  });
});
