/** Every example of docs/api.md and docs/api/ is run against a real server: programs here, commands with curl in a shell. */

import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../core/model/time.ts';
import { type ApiWorld, startApiWorld, taskEvent } from '../manage/api-world.ts';
import { snapshot } from '../samples.ts';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');

let world: ApiWorld;
let url: string;
let closeServer: () => void;
/** What a person does to the endpoint. */
const control = createServer((_, response) => {
  world.receiver.status = 200;
  response.end();
});
let controlUrl: string;
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
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
  controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  closeServer();
  control.close();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('docs/api/platforms.md', () => {
  it('shows a program that works', async () => {
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(read('docs/api/platforms.md')) ?? [];
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

/** `npm test` needs npm alone, so the commands are run only where their tools are. */
const hasTools = (() => {
  try {
    execFileSync('bash', ['--norc', '-c', 'curl --fail-with-body --version && jq --version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** The blocks of a text as one script. A comment between them stands for what a person does elsewhere. */
function scriptOf(text: string): string {
  const parts = text.matchAll(/^```sh\n([\s\S]*?)^```$|^<!-- run: (\w+) -->$/gm);
  return [...parts].map(([, block, control]) => block ?? `curl -sS "$CONTROL/${control}"\n`).join('\n');
}

/** The overview is one script; each section of the other pages is one, named by page and heading. */
function scriptsOf(page: string): (readonly [name: string, script: string])[] {
  if (page === 'docs/api.md') return [[page, scriptOf(read(page))]];
  const [intro = '', ...sections] = read(page).split(/^## /m);
  expect(scriptOf(intro)).toBe('');
  return sections.map((section) => [`${page}: ${section.split('\n', 1)[0]}`, scriptOf(section)] as const);
}

const SCRIPTS = new Map(
  ['docs/api.md', ...globSync('docs/api/*.md', { cwd: root })].flatMap(scriptsOf).filter(([, script]) => script !== ''),
);
const ASK = /^ask\(\) .*$/m.exec(read('docs/api.md'))?.[0] ?? '';

/** Runs a script in a shell while attempts are made. */
async function runScript(commands: string) {
  const script = `set -eu -o pipefail\n${ASK}\n${commands}`;
  const environment = {
    PATH: process.env.PATH,
    API: `${url}/v1`,
    KEY: world.admin,
    HOOK: world.receiver.url,
    CONTROL: controlUrl,
  };
  let pumping = Promise.resolve();
  const pumpNext = () => {
    pumping = pumping.then(world.pump).catch(() => {});
  };
  const attempts = setInterval(pumpNext, 20);
  try {
    return await promisify(execFile)('bash', ['--norc', '-c', script], { cwd: folder, env: environment });
  } finally {
    clearInterval(attempts);
    // An attempt in flight would still be pending when its outcome is checked.
    await pumping;
  }
}

/** What each script is about: what is there before it, and what must be true after it. */
const CASES: Readonly<
  Record<string, { before?: () => Promise<void>; after: (output: string) => Promise<void> | void }>
> = {
  'docs/api.md': {
    after: (output) => {
      expect(output).toMatch(/"secret":"whsec_/);
      expect(output).toMatch(/"count":\d+/);
      return expectNo('billing');
    },
  },
  'docs/api/subscribe.md: Declare at start-up': {
    after: (output) => expect(output).toMatch(/^whsec_\S+\nunchanged\n$/),
  },
  'docs/api/subscribe.md: Keys and scopes': {
    after: (output) => {
      expect(output).toMatch(/^tdk_[\w-]+\n/);
      expect(output).toContain('key.removed');
    },
  },
  'docs/api/platforms.md: Other platforms': {
    after: (output) => expect(output).toMatch(/"removeWhenGone": true\n}\n(declared\n)?sub_\w+\n$/),
  },
  'docs/api/operate.md: Poll without being reachable': {
    before: () => world.record(taskEvent('21', 'invoice.paid')),
    after: (output) => expect(output).toMatch(/invoice\.paid[\s\S]*"count": 0,\n {2}"more": false/),
  },
  'docs/api/operate.md: Repair a failing endpoint': {
    before: async () => {
      await subscribe();
      await world.record(taskEvent('31', 'invoice.paid'));
      world.receiver.status = 500;
      await world.ask('POST', '/subscriptions/billing/replay', { since: '2d' });
      await world.pump();
    },
    after: async (output) => {
      expect(output).toMatch(/"reason": "500 from/);
      expect(output).toMatch(/"status": 500,\n {2}"requestId": "req-/);
      // Of the test event, after the endpoint was fixed.
      expect(output).toMatch(/^200$/m);
      world.advance(MINUTE);
      await world.pump();
      const { body } = await world.ask('GET', '/subscriptions/billing/deliveries?status=pending');
      expect(body.data).toEqual([]);
    },
  },
  'docs/api/operate.md: Replay events': {
    before: async () => {
      await subscribe();
      await world.record(taskEvent('41', 'invoice.paid'));
    },
    after: (output) => expect(output).toMatch(/"dryRun":true}[\s\S]*\treplay\tevt_/),
  },
  'docs/api/subscribe.md: Rotate a secret': {
    before: subscribe,
    after: (output) => expect(output).toMatch(/"secret": "whsec_[\s\S]*\n200\n"2026-11-15T12:\d\d:00\.000Z"\n$/),
  },
  'docs/api/subscribe.md: Subscribe an endpoint': {
    after: async (output) => {
      expect(world.receiver.received.map(({ body }) => JSON.parse(body).type)[0]).toBe('tidings.ping');
      expect(output).toMatch(/"outcome": "accepted"/);
      await expectNo('billing');
    },
  },
  'docs/api/operate.md: See what became of an event': {
    before: async () => {
      await world.record(taskEvent('51', 'invoice.paid'));
      await world.embedded.snapshots.commit([{ snapshot: snapshot('412'), expected: 0 }]);
    },
    after: (output) => expect(output).toMatch(/"because": "type"[\s\S]*"title": "Task 412"[\s\S]*"requestedAt"/),
  },
};

async function subscribe(): Promise<void> {
  await world.ask('POST', '/subscriptions', { name: 'billing', url: world.receiver.url, events: ['invoice.*'] });
}

async function expectNo(name: string): Promise<void> {
  expect((await world.ask('GET', `/subscriptions/${name}`)).status).toBe(404);
}

describe('the pages of the API', () => {
  it('have a case here for each section that shows commands', () => {
    expect([...SCRIPTS.keys()].sort()).toEqual(Object.keys(CASES).sort());
    expect(ASK).toContain('--fail-with-body');
  });

  if (hasTools) {
    it.each(Object.entries(CASES))('%s shows commands that work', async (name, { before, after }) => {
      await world.ask('DELETE', '/subscriptions/billing');
      world.receiver.received.length = 0;
      world.receiver.status = 200;
      await before?.();
      const { stdout, stderr } = await runScript(SCRIPTS.get(name) ?? '');
      expect(stderr).toBe('');
      await after(stdout);
      expect(world.errors).toEqual([]);
    });
  }
});
