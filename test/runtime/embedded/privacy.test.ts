/** What other users of the machine, and readers of the data file, must not see. */

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeAddress } from '../../../adapters/channels/registry.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { lockForServing } from '../../../adapters/sqlite/serve-lock.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { event, SECRET, subscription } from '../../samples.ts';

let folder: string;
const data = () => join(folder, 'data');
const file = () => join(data(), 'tidings.db');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-privacy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modes = () => [data(), ...readdirSync(data()).map((name) => join(data(), name))].map(modeOf);

/** Opens the embedded mode with these `to.http` settings, and closes it after the work. */
async function withEmbedded<T>(
  http: object,
  environment: Record<string, string>,
  work: (embedded: Awaited<ReturnType<typeof openEmbedded>>) => Promise<T>,
): Promise<T> {
  const config = parseConfig(
    'test.json',
    JSON.stringify({
      source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [{ name: 'ops', events: ['task.created'], to: { http } }],
    }),
    environment,
  );
  const database = openDatabase(file());
  const embedded = await openEmbedded({
    config,
    database,
    environment,
    clock: systemClock,
    holder: 'test',
    random: () => 0.5,
  });
  try {
    return await work(embedded);
  } finally {
    await embedded.close();
  }
}

/** Everything in the data file and its WAL. */
const storedBytes = () =>
  readdirSync(data())
    .filter((name) => name.startsWith('tidings.db'))
    .map((name) => readFileSync(join(data(), name), 'latin1'))
    .join('');

describe('the data directory', () => {
  it('and its files are private to their owner', () => {
    const database = openDatabase(file());
    const lock = lockForServing(data(), 1);
    database.prepare('CREATE TABLE x (y)').run();
    const [directory, ...files] = modes();
    expect(directory).toBe('700');
    expect(new Set(files)).toEqual(new Set(['600']));
    expect(files.length).toBeGreaterThanOrEqual(5);
    lock.release();
    database.close();
  });

  it('becomes private when it exists with other modes, which is reported', () => {
    openDatabase(file()).close();
    const keeper = openDatabase(file());
    keeper.prepare('CREATE TABLE x (y)').run();
    chmodSync(data(), 0o755);
    for (const name of readdirSync(data())) chmodSync(join(data(), name), 0o644);
    const reports: string[] = [];
    openDatabase(file(), { report: (line) => reports.push(line) }).close();
    expect(new Set(modes())).toEqual(new Set(['700', '600']));
    expect(reports).toHaveLength(4);
    expect(reports[0]).toMatch(/data' was accessible to other users \(mode 0755\): it is private now/);
    // The locks of the other connection are still held.
    keeper.transaction(() => {
      const other = openDatabase(file());
      expect(other.isWritable()).toBe(false);
      other.close();
    });
    keeper.close();
  });
});

describe('a secret that is written literally in the config', () => {
  const http = { url: 'http://127.0.0.1:9/', secret: SECRET, headers: { 'x-key': 'literal-header-value' } };

  it('is not in the data file, and still signs', async () => {
    await withEmbedded(http, {}, async ({ subscriptions, secrets }) => {
      const { settings } = (await subscriptions.get('ops'))?.to ?? {};
      const stored = settings as typeof http;
      expect(stored.secret).toMatch(/^kept:literal-/);
      expect(await secrets.resolve(stored.secret)).toBe(SECRET);
      expect(await secrets.resolve(stored.headers['x-key'])).toBe('literal-header-value');
    });
    expect(storedBytes()).not.toMatch(/literal-header-value/);
    expect(storedBytes()).not.toContain(SECRET);
    expect(readdirSync(join(data(), 'secrets')).map((name) => modeOf(join(data(), 'secrets', name)))).toEqual([
      '600',
      '600',
      '600',
    ]);
  });

  it('has the same reference at each start, and is no rotation', async () => {
    const read = () => withEmbedded(http, {}, ({ subscriptions }) => subscriptions.get('ops'));
    const first = await read();
    expect(await read()).toEqual(first);
    expect(first?.rotation).toBeUndefined();
  });

  it('that an earlier version stored is erased from the data file, without a rotation', async () => {
    const database = openDatabase(file());
    const stores = sqliteStores(database);
    const old = 'an-older-literal-secret';
    const rotation = { secret: '${NEW}', replaces: SECRET, previous: old, until: '2126-01-01T00:00:00.000Z' };
    await stores.subscriptions.save(
      subscription('added', { to: { channel: 'http', settings: http }, declared: false, rotation }),
    );
    await stores.subscriptions.save(subscription('ops', { to: { channel: 'http', settings: http }, declared: true }));
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    expect(storedBytes()).toContain(SECRET);
    database.close();
    await withEmbedded(http, {}, async ({ subscriptions, secrets }) => {
      expect((await subscriptions.get('ops'))?.rotation).toBeUndefined();
      const { previous = '', replaces } = (await subscriptions.get('added'))?.rotation ?? {};
      expect(await secrets.resolve(previous)).toBe(old);
      expect((await subscriptions.get('added'))?.to.settings).toMatchObject({ secret: replaces });
    });
    for (const secret of [SECRET, old, 'literal-header-value']) expect(storedBytes()).not.toContain(secret);
  });

  it('signs beside its successor for a day', async () => {
    await withEmbedded(http, {}, async () => {});
    const next = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    await withEmbedded({ ...http, secret: next }, {}, async ({ subscriptions, secrets }) => {
      const { previous = '', secret = '' } = (await subscriptions.get('ops'))?.rotation ?? {};
      expect([await secrets.resolve(previous), await secrets.resolve(secret)]).toEqual([SECRET, next]);
    });
  });
});

describe('the directory of secrets', () => {
  const http = { url: 'http://127.0.0.1:9/', secret: SECRET };
  const secrets = () => join(data(), 'secrets');
  const literals = () => readdirSync(secrets()).filter((name) => name.startsWith('literal-'));
  /** Pretends that all files were last used `days` ago. */
  const age = (days: number) => {
    const then = new Date(Date.now() - days * 86_400_000);
    for (const name of readdirSync(secrets())) utimesSync(join(secrets(), name), then, then);
  };
  const change = async (to: string) => {
    const secret = `whsec_${Buffer.from(to.padEnd(32, '.')).toString('base64')}`;
    await withEmbedded({ ...http, secret }, {}, async () => {});
  };

  it('becomes private when its mode or those of its files were loosened', async () => {
    await withEmbedded(http, {}, async () => {});
    mkdirSync(join(secrets(), 'mine'), { mode: 0o755 });
    chmodSync(secrets(), 0o755);
    for (const name of [...literals(), 'key']) chmodSync(join(secrets(), name), 0o644);
    await withEmbedded(http, {}, async () => {});
    expect(modeOf(secrets())).toBe('700');
    expect([...literals(), 'key'].map((name) => modeOf(join(secrets(), name)))).toEqual(['600', '600']);
    expect(modeOf(join(secrets(), 'mine'))).toBe('755');
  });

  it('loses the literals that no subscription uses, a week later', async () => {
    await withEmbedded(http, {}, async () => {});
    writeFileSync(join(secrets(), `literal-${'0'.repeat(16)}.${'1'.repeat(8)}`), 'half');
    // Not of a literal: rotated secrets, and files of the user.
    const others = ['key', 'literal-hook-01234567', 'literal-0123456789abcdef-01234567', 'mine'];
    for (const name of others.slice(1)) writeFileSync(join(secrets(), name), 'x');
    await withEmbedded({ ...http, secret: '${KEY}' }, { KEY: SECRET }, async () => {});
    expect(literals()).toHaveLength(4);
    const database = openDatabase(file());
    await sqliteStores(database).subscriptions.update('ops', ({ rotation: _, ...rest }) => rest);
    database.close();
    age(6);
    await withEmbedded({ ...http, secret: '${KEY}' }, { KEY: SECRET }, async () => {});
    expect(literals()).toHaveLength(4);
    age(8);
    await withEmbedded({ ...http, secret: '${KEY}' }, { KEY: SECRET }, async () => {});
    expect(readdirSync(secrets()).toSorted()).toEqual(others.toSorted());
  });

  it('keeps every literal that a subscription or a rotation uses, however old', async () => {
    await change('first');
    await change('second');
    const database = openDatabase(file());
    const store = sqliteStores(database).subscriptions;
    const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const endRotation = (days: number) =>
      store.update('ops', (one) => ({ ...one, rotation: one.rotation && { ...one.rotation, until: until(days) } }));
    const added = { channel: 'http', settings: { ...http, secret: 'kept:literal-00000000000000aa' } };
    await store.save(subscription('added', { to: added, declared: false }));
    writeFileSync(join(secrets(), 'literal-00000000000000aa'), 'x');
    for (const days of [1, -6]) {
      await endRotation(days);
      age(400);
      await change('second');
      expect(literals()).toHaveLength(3);
    }
    // The previous secret of a rotation that has ended is not used.
    await endRotation(-8);
    age(400);
    await change('second');
    expect(literals()).toHaveLength(2);
    await withEmbedded(http, {}, async ({ subscriptions, secrets }) => {
      const { secret = '', previous = '' } = (await subscriptions.get('ops'))?.rotation ?? {};
      await Promise.all([secret, previous].map((one) => secrets.resolve(one)));
    });
    database.close();
  });

  it('keeps an unused literal that is about to be used again', async () => {
    await withEmbedded(http, {}, async () => {});
    const [name = ''] = literals();
    age(400);
    const options = { environment: {}, directory: secrets() };
    expect(localSecrets(options).keepLiteral(SECRET)).toBe(`kept:${name}`);
    localSecrets(options).deleteLiterals({ except: () => false, before: new Date(Date.now() - 60_000).toISOString() });
    expect(literals()).toEqual([name]);
  });
});

describe('a secret in the URL of a receiver', () => {
  const TOKEN = 'tok/en+4711&"zebra"';
  let server: Server;
  let answer: (url: string) => { status: number; body: string; headers?: Record<string, string> };
  const paths: string[] = [];
  beforeEach(async () => {
    paths.length = 0;
    server = createServer((request, response) => {
      paths.push(request.url ?? '');
      const { status, body, headers } = answer(request.url ?? '');
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterEach(() => server.close());

  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function sendOne(url: string, environment: Record<string, string>) {
    return withEmbedded({ url, secret: '${KEY}' }, { KEY: SECRET, ...environment }, async (embedded) => {
      const one = event('1', { id: `evt_${'1'.padStart(32, '0')}` });
      const delivery = openDelivery(one, 'ops', systemClock.now());
      await embedded.events.record([{ event: one, deliveries: [delivery] }]);
      await embedded.queue.send(
        [{ kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'ops' }],
        systemClock.now(),
      );
      await deliverAll(embedded, {});
      return { stored: await embedded.subscriptions.get('ops'), delivery: await embedded.deliveries.get(delivery.id) };
    });
  }

  it('stays a reference until the request is made', async () => {
    answer = () => ({ status: 204, body: '' });
    const url = `${base()}/hook/\${TOKEN}?key=\${QUERY}`;
    const { stored, delivery } = await sendOne(url, { TOKEN: 'token-4711-abc', QUERY: 'query-4711-abc' });
    expect(paths).toEqual(['/hook/token-4711-abc?key=query-4711-abc']);
    expect(delivery?.status).toBe('settled');
    expect(stored?.to.settings).toMatchObject({ url });
    expect(describeAddress(stored?.to ?? { channel: '', settings: {} })).toBe(base());
    expect(storedBytes()).not.toMatch(/(token|query)-4711-abc/);
  });

  it('may be the whole URL', async () => {
    answer = (path) => ({ status: 503, body: `no such path: ${path}` });
    const { stored, delivery } = await sendOne('${HOOK}', { HOOK: `${base()}/services/AbCdEfGhIj` });
    expect(describeAddress(stored?.to ?? { channel: '', settings: {} })).toBe('${HOOK}');
    expect(delivery?.attempts).toMatchObject([{ status: 503, body: 'no such path: [hidden]' }]);
  });

  it.each<[string, (token: string) => string]>([
    ['unchanged', (token) => token],
    ['in upper case', (token) => token.toUpperCase()],
    ['URL-encoded', encodeURIComponent],
    ['URL-encoded in lower case', (token) => encodeURIComponent(token).toLowerCase()],
    ['URL-encoded twice', (token) => encodeURIComponent(encodeURIComponent(token))],
    ['as form data', (token) => new URLSearchParams({ token }).toString()],
    ['as JSON', (token) => JSON.stringify({ token })],
    ['as JSON in JSON', (token) => JSON.stringify(JSON.stringify({ token }))],
    [
      'as JSON with unicode escapes',
      (token) => token.replaceAll(/[^a-z\d]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ['as HTML', (token) => token.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['as HTML with numbers', (token) => token.replaceAll(/[^a-z\d]/g, (c) => `&#${c.charCodeAt(0)};`)],
    ['in base64', (token) => Buffer.from(token).toString('base64')],
    ['in base64 of a longer text', (token) => Buffer.from(`user:${token}!`).toString('base64url')],
    ['in hex', (token) => Buffer.from(token).toString('hex').toUpperCase()],
  ])('is hidden where the receiver echoes it %s', async (_, encode) => {
    answer = () => ({ status: 500, body: `refused: ${encode(TOKEN)} .` });
    const { delivery } = await sendOne(`${base()}/hook?key=\${TOKEN}`, { TOKEN });
    expect(delivery?.attempts).toMatchObject([{ status: 500 }]);
    const [{ body = '' } = {}] = delivery?.attempts ?? [];
    expect(body).toMatch(/^refused: .*\[hidden\].* \.$/);
    expect(body.length).toBeLessThan(40);
  });

  it('is hidden in the messages of errors', async () => {
    answer = () => ({ status: 302, body: '', headers: { location: 'http://secret-token-4711.example.com/' } });
    const { delivery } = await sendOne(`${base()}/\${TOKEN}`, { TOKEN: 'secret-token-4711' });
    expect(delivery?.attempts[0]?.message).toMatch(/it redirects to http:\/\/\[hidden\]\.example\.com/);
    const lost = await sendOne('http://${TOKEN}.invalid/', { TOKEN: 'secret-token-4712' });
    expect(JSON.stringify(lost.delivery)).not.toContain('secret-token-4712');
  });

  it('that is missing for a moment fails nothing', async () => {
    answer = () => ({ status: 204, body: '' });
    mkdirSync(data(), { recursive: true });
    writeFileSync(join(data(), 'x'), '');
    const environment: Record<string, string> = { KEY: SECRET, TOKEN: 'token-4711-abc' };
    await withEmbedded({ url: `${base()}/\${TOKEN}`, secret: '${KEY}' }, environment, async (embedded) => {
      delete environment.TOKEN;
      const delivery = openDelivery(event('1'), 'ops', systemClock.now());
      await embedded.events.record([{ event: event('1'), deliveries: [delivery] }]);
      await embedded.queue.send(
        [{ kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'ops' }],
        systemClock.now(),
      );
      await deliverAll(embedded, {});
      expect(await embedded.deliveries.get(delivery.id)).toMatchObject({
        status: 'pending',
        attempts: [{ ownFault: 1 }],
      });
    });
  });
});
