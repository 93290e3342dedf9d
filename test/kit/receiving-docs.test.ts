/** Runs the samples of docs/receiving.md against the endpoint test, and checks the page's statements against the code. */

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { httpChannels } from '../../adapters/channels/http/channel.ts';
import { HTTP_FORMATS, type HttpSettings } from '../../adapters/channels/http/settings.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { RETRY_DELAYS } from '../../core/delivery/schedule.ts';
import { ROTATION_OVERLAP, type Subscription } from '../../core/model/subscription.ts';
import { DAY, fromMillis, HOUR, MINUTE } from '../../core/model/time.ts';
import { isPassed, testEndpoint } from '../../runtime/inspect/endpoint-test.ts';
import { event, SECRET, subscription } from '../samples.ts';
import { createProject } from './project.ts';
import { signWithOurs } from './signed.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/receiving.md'), 'utf8');
const samples = new Map(
  [...page.matchAll(/<!-- sample: (\S+) -->\n```\w+\n([\s\S]*?)\n```/g)].map(([, name = '', code = '']) => [
    name,
    code,
  ]),
);

const project = createProject();
const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill();
});
afterAll(async () => {
  await http.close();
  project.remove();
});

const has = (command: string, ...argv: readonly string[]) => {
  try {
    execFileSync(command, argv, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/**
 * `npm test` needs npm alone, so a sample is tested only where its language is installed. .ci/run installs both. The first
 * build of Go compiles its standard library, for which only `npm run test:aws` has the time.
 */
const hasPython = has('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
const hasGo = process.env.TIDINGS_GO === '1' && has('go', 'version');

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function untilItAnswers(url: string): Promise<void> {
  for (;;) {
    const answered = await fetch(url, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((later) => setTimeout(later, 50));
  }
}

/** Every kind of body that an HTTP subscription can ask for. Templates produce any JSON. */
const FORMATS: readonly { readonly settings: Partial<HttpSettings>; readonly template?: Subscription['template'] }[] = [
  ...HTTP_FORMATS.map((format) => ({ settings: { format } })),
  { settings: { contentType: 'application/cloudevents+json' } },
  { settings: {}, template: { body: { text: '{{ record.title }}' } } },
  { settings: {}, template: { body: ['{{ record.title }}', 1] } },
  { settings: {}, template: { body: '{{ record.title }}' } },
];

const IDS = FORMATS.flatMap((_, index) => [`evt_${index}a`, `evt_${index}b`]);

/** Sends two events in each format as the channel does, each twice, as after a lost response. */
async function sendEachFormat(url: URL): Promise<void> {
  const channels = httpChannels({ http, secrets: localSecrets({ environment: {}, directory: '' }) });
  for (const [index, { settings, template }] of FORMATS.entries()) {
    const target: HttpSettings = { url: url.href, secret: SECRET, ...settings };
    const to = { channel: 'http', settings: target };
    for (const id of [`${index}a`, `${index}b`, `${index}a`, `${index}b`]) {
      const message = {
        events: [event(id)],
        delivery: `dlv_${id}`,
        at: fromMillis(Date.now()),
        timeZone: 'UTC',
      } as const;
      await channels
        .channelFor(target)
        .send({ ...message, subscription: subscription('ops', { to, ...(template && { template }) }) });
    }
  }
}

/** Runs the endpoint test against a sample; returns its results and the lines the sample printed for handled events. */
async function examSample(command: string, argv: readonly string[]) {
  const port = await freePort();
  const environment = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET };
  const running = spawn(command, argv, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  child = running;
  const said = text(running.stdout);
  const url = new URL(`http://127.0.0.1:${port}/`);
  await untilItAnswers(url.href);
  const clock = { now: () => fromMillis(Date.now()) };
  const results = await testEndpoint({ url, secret: SECRET, http, clock, seed: command });
  await sendEachFormat(url);
  running.kill();
  return { passed: isPassed(results), results, handled: (await said).trim().split('\n') };
}

function expectGood({ passed, results, handled }: Awaited<ReturnType<typeof examSample>>): void {
  expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(passed).toBe(true);
  const ids = handled.map((line) => line.split(' ')[0] ?? '');
  // One of the five valid requests of the endpoint test repeats an event.
  const pings = ids.slice(0, 4);
  for (const id of pings) expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
  expect(new Set(pings).size).toBe(4);
  expect(ids.slice(4)).toEqual(IDS);
}

describe('the samples of docs/receiving.md, with every format', () => {
  it('are all tested', () => {
    expect([...samples.keys()]).toEqual(['node-kit', 'worker', 'node', 'python', 'go']);
  });

  it.each(['node-kit', 'node'])('%s verifies signatures and handles each event once, in every format', async (name) => {
    expectGood(await examSample(process.execPath, [project.write(`${name}.js`, samples.get(name) ?? '')]));
  });

  it('worker verifies signatures and queues the event', async () => {
    const file = project.write('worker.js', samples.get('worker') ?? '');
    const { default: worker } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const queue: unknown[] = [];
    const environment = { WEBHOOK_SECRET: SECRET, QUEUE: { send: async (event: unknown) => queue.push(event) } };
    const headers = signWithOurs(SECRET, 'evt_1', new Date(), '{"a":"é"}');
    const post = async (body: string) =>
      (await worker.fetch(new Request('https://example.com', { method: 'POST', headers, body }), environment)).status;
    expect([await post('{"a":"é"}'), await post('{"a":"e"}')]).toEqual([204, 401]);
    expect(queue).toEqual([{ id: 'evt_1', event: { a: 'é' } }]);
  });

  if (hasPython) {
    it('python verifies signatures and handles each event once, in every format', async () => {
      expectGood(await examSample('python3', [project.write('receiver.py', samples.get('python') ?? '')]));
    });
  }

  if (hasGo) {
    it('go verifies signatures and handles each event once, in every format', { timeout: 180_000 }, async () => {
      const source = project.write('go/main.go', samples.get('go') ?? '');
      const binary = join(project.folder, 'go/receiver');
      const environment = { ...process.env, CGO_ENABLED: '0' };
      const cwd = join(project.folder, 'go');
      await promisify(execFile)('go', ['build', '-o', binary, source], { cwd, env: environment });
      expectGood(await examSample(binary, []));
    });
  }
});

describe('docs/receiving.md', () => {
  const plain = page.replaceAll(/\s+/g, ' ');

  it('documents the retry schedule', () => {
    const words = RETRY_DELAYS.map((delay) =>
      delay >= HOUR ? `${delay / HOUR} h` : delay >= MINUTE ? `${delay / MINUTE} min` : `${delay / 1000} s`,
    );
    expect(plain).toContain(`then after ${words.slice(0, -1).join(', ')} and ${words.at(-1)}`);
    expect(Math.floor(RETRY_DELAYS.reduce((sum, delay) => sum + delay) / HOUR)).toBe(75);
    expect(RETRY_DELAYS).toHaveLength(9);
  });

  it('documents the overlap of a secret rotation', () => {
    expect(ROTATION_OVERLAP).toBe(DAY);
    expect(plain).toContain('For 24 hours both the old and the new secret sign');
  });

  it('lists every error code of the kit', () => {
    const source = readFileSync(join(import.meta.dirname, '../../kit/verify.ts'), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code = '']) => code);
    expect(codes).toHaveLength(8);
    for (const code of codes) expect(page).toContain(`\`${code}\``);
  });
});
