/** The console through the real functions, on the local AWS: log-in by the command line, events, one event, resending. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashPassToken } from '../../core/model/console-pass.ts';
import { DAY, MINUTE } from '../../core/model/time.ts';
import { storesParameter } from '../../runtime/aws/deployed-stores.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { consoleSessionContract, type SessionBrowser } from '../contract/console-session.ts';
import { leadTo } from '../e2e/aws-account.ts';
import { startReceiver } from '../manage/api-world.ts';
import { delivery, event, snapshot } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

const HOST = 'tidings.example.com';
const ARN = 'arn:aws:sts::123456789012:assumed-role/Operators/ann';

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let sts: ReturnType<typeof createServer>;

beforeAll(async () => {
  receiver = await startReceiver();
  world = await startWorld({
    config: {
      manage: { url: `https://${HOST}`, secret: '${OPS}', console: 'on' },
      subscriptions: [{ name: 'ops', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
    },
  });
  captureOutput();
  await world.functions.setup();
  sts = createServer((_, response) => {
    const identity = `<GetCallerIdentityResult><Arn>${ARN}</Arn></GetCallerIdentityResult>`;
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(
        `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${identity}</GetCallerIdentityResponse>`,
      );
  });
  await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
  const { names, queues, secrets } = world;
  const stores = {
    snapshotsTable: names.snapshots,
    ledgerTable: names.ledger,
    queueUrl: queues.url,
    retention: 90 * DAY,
  };
  secrets.values.set(storesParameter('Tidings'), JSON.stringify({ ...stores, consoleUrl: `https://${HOST}` }));
  secrets.values.set(storesParameter('Without'), JSON.stringify(stores));
  leadTo({
    AWS_ENDPOINT_URL_DYNAMODB: world.tables.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_SSM: secrets.endpoint,
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.address() as AddressInfo).port}`,
  });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await new Promise((resolve) => sts.close(resolve));
  await world.stop();
  await receiver.stop();
});

const runConsole = (...argv: readonly string[]) =>
  runCommandAt(world.clock.now(), ['console', '--no-open', ...argv, '--aws', 'Tidings']);

/** CloudFront sends the host of its origin: the domain of the API. */
const API_HOST = 'abc123.execute-api.eu-central-1.amazonaws.com';

interface BrowserOptions {
  /** The host that the function gets. @default - that of the page */
  readonly host?: string;
  /** The page that sends forms. @default - that of the console */
  readonly origin?: string;
  /** @default - none */
  readonly cookie?: string;
}

/** A browser that keeps one cookie, behind API Gateway. */
function openBrowser({ host = HOST, origin = `https://${HOST}`, cookie: given = '' }: BrowserOptions = {}) {
  let cookie = given;
  const send = async (method: 'GET' | 'POST', path: string, fields?: Readonly<Record<string, string>>) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const request = {
      version: '2.0',
      rawPath,
      rawQueryString,
      headers: {
        host,
        'x-forwarded-proto': 'https',
        'sec-fetch-site': 'same-origin',
        ...(fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', origin }),
      },
      ...(cookie === '' ? {} : { cookies: [cookie] }),
      ...(fields === undefined
        ? {}
        : { body: Buffer.from(new URLSearchParams(fields).toString()).toString('base64'), isBase64Encoded: true }),
      requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, domainName: host },
    };
    const answer = (await world.functions.manage(
      request as unknown as Parameters<World['functions']['manage']>[0],
    )) as {
      readonly statusCode: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly cookies?: readonly string[];
      readonly isBase64Encoded: boolean;
    };
    const [set] = answer.cookies ?? [];
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
    const text = answer.isBase64Encoded ? Buffer.from(answer.body, 'base64').toString() : answer.body;
    return { status: answer.statusCode, text, location: answer.headers.location, cookies: answer.cookies ?? [] };
  };
  return {
    cookie: () => cookie,
    get: (path: string) => send('GET', path),
    post: (path: string, fields: Readonly<Record<string, string>>) => send('POST', path, fields),
  };
}

async function makeLink(...argv: readonly string[]): Promise<URL> {
  const { code, stdout, stderr } = await runConsole(...argv);
  expect([code, stderr]).toEqual([0, expect.stringContaining('works once')]);
  return new URL(stdout.trim());
}

const logIn = (...argv: readonly string[]) => logInWith(openBrowser(), ...argv);

async function logInWith(browser: ReturnType<typeof openBrowser>, ...argv: readonly string[]) {
  const link = await makeLink(...argv);
  expect((await browser.get(`${link.pathname}${link.search}`)).text).toContain(`Log in as ${ARN}`);
  const answer = await browser.post('/console/log-in', { token: link.searchParams.get('token') ?? '' });
  expect([answer.status, answer.location]).toEqual([303, '/console']);
  expect(answer.cookies[0]).toMatch(/^__Host-tidings-console=.*HttpOnly; Secure; SameSite=Strict/);
  return browser;
}

describe('the console in AWS', () => {
  it('is opened with the IAM identity of the caller, who is named in the audit trail', async () => {
    const browser = await logIn();
    expect((await browser.get('/console')).status).toBe(200);
    const { entries } = await world.stores.audit.page({ limit: 2 });
    expect(entries).toMatchObject([
      { action: 'console.logged_in', by: { kind: 'console', id: ARN } },
      { action: 'console.link_made', by: { kind: 'iam', id: ARN } },
    ]);
    expect((await openBrowser().get('/console/events')).location).toBe('/console/log-in?next=%2Fconsole%2Fevents');
  });

  it('shows events and one event, and sends it again', async () => {
    const browser = await logIn();
    const one = event('1', { time: world.clock.now() });
    await world.stores.events.record([{ event: one, deliveries: [] }]);
    expect((await browser.get('/console/events?q=task')).text).toContain('href="/console/events/evt_1"');
    const page = await browser.get('/console/events/evt_1');
    expect(page.text).toContain('Who got it, who did not, and why');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const sent = await browser.post('/console/events/evt_1/resend', { csrf, subscription: 'ops' });
    expect([sent.status, sent.location]).toEqual([303, '/console/events/evt_1?done=resent']);
    await world.functions.tick();
    const records = await world.queues.receive();
    await world.functions.deliver(records);
    expect(receiver.received).toHaveLength(1);
    expect((await browser.get('/console/events/evt_1')).text).toContain('delivered');
    expect((await browser.post('/console/events/evt_1/resend', { subscription: 'ops' })).status).toBe(403);
  });

  it('shows pages about records with long texts within the 6 MB of a response', async () => {
    const browser = await logIn();
    const text = 'A "quoted" <word>. '.repeat(6000);
    const time = world.clock.now();
    for (let n = 1; n <= 60; n++) {
      const [from, to] = [`${text}${n}`, `${text}${n + 1}`];
      const data = { ...event('7').data, version: n + 1, record: { id: '7', description: to } };
      const changes = [{ field: 'description', from, to }];
      const long = event(`long-${n}`, {
        subject: 'task/7',
        time,
        data: { ...data, changes, previous: { description: from } },
      });
      const deliveries = [delivery(`long-${n}`, 'ops', { status: 'failed', dueAt: null })];
      await world.stores.events.record([{ event: long, deliveries }]);
    }
    await world.snapshots.commit([
      { snapshot: snapshot('7', { version: 61, record: { id: '7', description: text } }), expected: 0 },
    ]);
    const pages = ['', '/events', '/events?q=task', '/events/evt_long-60', '/records/task/7', '/deliveries'];
    for (const path of pages) expect([path, (await browser.get(`/console${path}`)).status]).toEqual([path, 200]);
  });

  it('lets readers look only, and ends all sessions', async () => {
    const reader = await logIn('--read-only');
    const page = await reader.get('/console/events/evt_1');
    expect(page.text).not.toContain('/resend');
    expect((await runConsole('--end-sessions')).stdout).toMatch(/^ended \d+ sessions/);
    expect((await reader.get('/console')).status).toBe(303);
  });

  it('limits the pages of a session, and not those of another session of the same person', async () => {
    const [reader, maker] = [await logIn('--read-only'), await logIn()];
    const now = world.clock.now();
    const stopped = vi.spyOn(world.clock, 'now').mockReturnValue(now);
    expect((await reader.get('/console/help')).status).toBe(200);
    const session = hashPassToken('session', reader.cookie().split('=')[1] ?? '').slice(0, 16);
    for (let n = 1; n < 100; n++)
      await world.stores.requestLimiter.take(`console ${ARN} ${session}`, { burst: 100, interval: 100 }, now);
    const refused = await reader.get('/console/help');
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('in this session')]);
    expect((await maker.get('/console/help')).status).toBe(200);
    stopped.mockRestore();
    world.clock.advance(MINUTE);
    expect((await reader.get('/console/help')).status).toBe(200);
  });

  it('accepts forms of manage.url when CloudFront is in front of the API, and of no other site', async () => {
    const browser = await logInWith(openBrowser({ host: API_HOST }));
    const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/console/keys')).text)?.[1] ?? '';
    expect((await browser.post('/console/log-out', { csrf })).status).toBe(303);
    const token = (await makeLink()).searchParams.get('token') ?? '';
    for (const origin of ['https://evil.example.com', `http://${HOST}`, `https://${HOST}.evil.example.com`, 'null']) {
      const other = openBrowser({ host: API_HOST, origin });
      expect([origin, (await other.post('/console/log-in', { token })).status]).toEqual([origin, 403]);
    }
    // The link still works: the refused forms did not use it up.
    expect((await openBrowser({ host: API_HOST }).post('/console/log-in', { token })).status).toBe(303);
  });

  it('is not there for a stack without one', async () => {
    const { code, stderr } = await runCommandAt(world.clock.now(), ['console', '--aws', 'Without']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("stack 'Without' has no console: set manage.console to on"),
    ]);
  });

  it('makes, changes, operates and removes a subscription', async () => {
    const browser = await logIn();
    const csrfIn = ({ text }: { readonly text: string }) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const csrf = csrfIn(await browser.get('/console/subscriptions/new?channel=http'));
    const where = { mode: 'query', channel: 'http', name: 'erp', 'to.url': receiver.url };
    const form = { csrf, do: 'save', ...where, query: 'task.closed' };
    const made = await browser.post('/console/subscriptions/new', form);
    expect(made.text).toContain('whsec_');
    expect((await browser.get('/console/subscriptions')).text).toContain('href="/console/subscriptions/erp"');
    const edit = await browser.get('/console/subscriptions/erp/edit');
    const etag = /name="etag" value="([^"]+)"/.exec(edit.text)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const changed = await browser.post('/console/subscriptions/erp/edit', {
      ...form,
      etag,
      query: 'task.closed task.created',
    });
    expect([changed.status, changed.location]).toEqual([303, expect.stringContaining('/console/subscriptions/erp')]);
    expect((await world.stores.subscriptions.get('erp'))?.events).toEqual(['task.closed', 'task.created']);
    for (const action of ['pause', 'resume']) {
      expect((await browser.post(`/console/subscriptions/erp/${action}`, { csrf })).status).toBe(303);
    }
    for (const path of [
      '/subscriptions/erp',
      '/subscriptions/export.yaml',
      '/deliveries',
      '/audit',
      '/keys',
      '/help',
    ]) {
      expect([path, (await browser.get(`/console${path}`)).status]).toEqual([path, 200]);
    }
    const state = /name="state" value="([^"]+)"/.exec((await browser.get('/console/keys')).text)?.[1] ?? '';
    const key = await browser.post('/console/keys', { csrf, state, name: 'erp', scopes: 'read' });
    expect(key.text).toMatch(/tdk_[0-9a-f]{16}_/);
    const page = await browser.get('/console/subscriptions/erp');
    const confirm = Object.fromEntries(
      [...page.text.matchAll(/<input type="hidden" name="(etag|confirm)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value?.replaceAll('&quot;', '"'),
      ]),
    );
    expect((await browser.post('/console/subscriptions/erp/remove', { csrf, ...confirm })).status).toBe(303);
    expect(await world.stores.subscriptions.get('erp')).toBeUndefined();
  });
});

function toSessionBrowser(browser: ReturnType<typeof openBrowser>): SessionBrowser {
  return {
    ...browser,
    logIn: async () => void (await logInWith(browser)),
    copy: () => toSessionBrowser(openBrowser({ cookie: browser.cookie() })),
  };
}

consoleSessionContract(() => ({
  logIn: async () => toSessionBrowser(await logIn()),
  endAll: async () => void (await runConsole('--end-sessions')),
  advance: (millis) => world.clock.advance(millis),
  account: { url: world.simulator.url, token: world.token },
  read: async () => ({
    sources: (await world.stores.storedSources.list()).map(({ name }) => name),
    actions: (await world.stores.audit.page({ limit: 100 })).entries.map(({ action }) => action),
  }),
}));
