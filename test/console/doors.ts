/**
 * The doors of the console and of the API, generated from their tables: who may send which form, and what no text in an address may
 * cause. The same for the embedded mode and for the functions in AWS.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { actions, pages } from '../../console/routes.tsx';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import type { ConsolePass } from '../../core/model/console-pass.ts';
import { type Delivery, openDelivery } from '../../core/model/delivery.ts';
import type { Instant } from '../../core/model/time.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { routes } from '../../manage/api/routes.ts';
import { event, snapshot, subscription } from '../samples.ts';

interface Answer {
  /** Above 500 also for what is thrown. */
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
}

interface SentForm {
  readonly fields?: Readonly<Record<string, string>>;
  /** @default - the fields as a form */
  readonly body?: { readonly type: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
}

interface DoorSession {
  readonly csrf: string;
  get(path: string): Promise<Answer>;
  post(path: string, form: SentForm): Promise<Answer>;
}

export interface DoorWorld {
  readonly stores: Pick<ApiPorts, 'subscriptions' | 'events'> & { readonly snapshots: SnapshotStore };
  now(): Instant;
  /** @param scope of the session. @default - no session */
  open(scope?: ConsolePass['scope']): Promise<DoorSession>;
  /** Makes a request of the API with the scope admin. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
}

const EXISTING = { subscription: 'watched', event: 'evt_watched', delivery: 'dlv_watched', record: '1' };

/** What the addresses of pages name: each of them exists. Returns the addresses of a page, alone and with parameters. */
async function arrange({ stores, now }: DoorWorld): Promise<(path: string) => readonly [string, string]> {
  const at = now();
  const { subscription: name, event: eventId, delivery, record } = EXISTING;
  const mail = { channel: 'email', settings: { to: ['ann@example.com'] } };
  const http = { channel: 'http', settings: { url: 'https://example.com/hook', secret: '${OPS}' } };
  // The page of the form has the name `new`, so one of that name has another page.
  for (const [one, to] of [[name, mail] as const, ['new', http] as const])
    await stores.subscriptions.save(subscription(one, { declared: false, to, createdAt: at }));
  const one = event('watched', { time: at, subject: `task/${record}` });
  const opened: Delivery = {
    ...openDelivery(one, name, at),
    id: delivery,
    status: 'failed',
    mark: 'replay',
    dueAt: null,
  };
  await stores.events.record([{ event: one, deliveries: [opened] }]);
  await stores.snapshots.commit([{ snapshot: snapshot(record), expected: 0 }]);
  const health = { snapshots: stores.snapshots, clock: { now } };
  await changeHealth(health, name, 'person', (before) => ({ ...before, muted: ['ann@example.com'] }));
  const query = {
    event: eventId,
    subscription: name,
    delivery,
    subject: `task/${record}`,
    source: 'main',
    since: '1d',
  };
  const parameters = new URLSearchParams({ ...query, type: 'task.closed', status: 'failed', startedAt: at });
  return (path) => {
    const id = path.startsWith('/deliveries') ? delivery : path.startsWith('/records') ? record : eventId;
    const values = { ':name': path.startsWith('/sources') ? 'main' : name, ':resource': 'task', ':id': id };
    const filled = Object.entries(values).reduce((text, [key, value]) => text.replace(key, value), path);
    const address = `/console${filled}`.replace(/\/$/, '');
    return [address, `${address}?${parameters}`];
  };
}

/** Where the forms of a page send to, but for those that only read. */
function postForms(text: string): readonly string[] {
  const forms = [...text.matchAll(/<form[^>]*>/g)].map(([form]) => form);
  const changing = forms.filter((form) => !/method="(get|dialog)"/.test(form));
  return changing.map((form) => /action="([^"]*)"/.exec(form)?.[1] ?? form).filter((to) => to !== '/console/log-out');
}

const ORIGIN = { origin: 'https://tidings.example.com', 'sec-fetch-site': 'same-origin' };

const fill = (path: string, text: string) => path.replaceAll(/:\w+|\{\w+\}/g, text);

/** Longer than any key of DynamoDB. */
export const LONG_TEXT = 'x'.repeat(3000);

/** Texts that are the name or id of nothing, in the form of an address. */
const HOSTILE_TEXTS: readonly string[] = [
  LONG_TEXT,
  'x'.repeat(1500),
  encodeURIComponent('é'.repeat(1000)),
  '%00',
  '%ff',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  '2020-99-99T99:99:99Z',
  '-1',
  '9'.repeat(30),
  // Cursors of the list of events: one that is too long for a key, and some that no page returned.
  ...['x'.repeat(2000), 'x', '<x', '2026-11-14T12:00:00.000Z - zzzzzzzzzzzz.0-x', '<2026-99-99T12:00:00.000Z-x'].map(
    (text) => Buffer.from(`listEvents ${text}`).toString('base64url'),
  ),
];

/** The parameters of all pages of the console. */
const PAGE_PARAMETERS = [
  ...['after', 'q', 'type', 'subject', 'source', 'status', 'subscription', 'since', 'until', 'hours', 'done', 'event'],
  ...[
    'channel',
    'query',
    'startedAt',
    'pass',
    'count',
    'sent',
    'delivery',
    'timeZone',
    'name',
    'token',
    'next',
    'order',
  ],
];

interface DoorOptions {
  /** The query parameters of pages that are tried. @default - all */
  readonly parameters?: readonly string[];
  /** The texts that are tried as each of them. @default - all */
  readonly parameterTexts?: readonly string[];
}

export function describeDoors(
  start: () => Promise<DoorWorld>,
  { parameters = PAGE_PARAMETERS, parameterTexts = HOSTILE_TEXTS }: DoorOptions = {},
): void {
  let world: DoorWorld;
  let addressesOf: Awaited<ReturnType<typeof arrange>>;
  beforeAll(async () => {
    world = await start();
    addressesOf = await arrange(world);
  }, 120_000);
  afterAll(() => world.stop());

  it.each(actions.map(({ path }) => path))(
    'POST %s needs a session that may change, its own form and its own site',
    async (path) => {
      const [stranger, admin, reader] = [await world.open(), await world.open('admin'), await world.open('read')];
      const address = `/console${fill(path, 'x')}`;
      const { csrf } = admin;
      const fields = { csrf };
      const refused: Readonly<Record<string, Promise<Answer>>> = {
        'a read-only session': reader.post(address, { fields: { csrf: reader.csrf }, headers: ORIGIN }),
        'a read-only session with the token of another': reader.post(address, { fields, headers: ORIGIN }),
        'no token': admin.post(address, { headers: ORIGIN }),
        'the token of another session': admin.post(address, { fields: { csrf: reader.csrf }, headers: ORIGIN }),
        'the token in the address': admin.post(`${address}?csrf=${csrf}`, { headers: ORIGIN }),
        'two tokens': admin.post(address, {
          headers: ORIGIN,
          body: { type: 'application/x-www-form-urlencoded', text: `csrf=x&csrf=${csrf}` },
        }),
        'another origin': admin.post(address, { fields, headers: { ...ORIGIN, origin: 'https://evil.example' } }),
        'another site': admin.post(address, { fields, headers: { ...ORIGIN, 'sec-fetch-site': 'cross-site' } }),
        'a page of the same site': admin.post(address, {
          fields,
          headers: { ...ORIGIN, 'sec-fetch-site': 'same-site' },
        }),
        JSON: admin.post(address, {
          headers: ORIGIN,
          body: { type: 'application/json', text: JSON.stringify(fields) },
        }),
        'plain text': admin.post(address, { headers: ORIGIN, body: { type: 'text/plain', text: `csrf=${csrf}` } }),
      };
      for (const [what, answer] of Object.entries(refused)) expect([what, (await answer).status]).toEqual([what, 403]);
      const { status, location } = await stranger.post(address, { fields, headers: ORIGIN });
      expect([status, location]).toEqual([303, '/console/log-in']);
    },
  );

  it.each(pages.map(({ path }) => path))('GET %s shows nothing to strangers, and readers no form', async (path) => {
    const [stranger, reader] = [await world.open(), await world.open('read')];
    const address = fill(`/console${path}`, 'x').replace(/\/$/, '');
    const { status, text } = await stranger.get(address);
    expect([status, text]).toEqual([303, '']);
    const page = await reader.get(address);
    expect(page.status).toBeLessThan(500);
    expect(postForms(page.text)).toEqual([]);
  });

  it.each(pages.map(({ path }) => path))('GET %s of what exists shows readers no form', async (path) => {
    const [admin, reader] = [await world.open('admin'), await world.open('read')];
    const addresses = addressesOf(path);
    // A step of a replay has a pass of its session.
    expect((await admin.get(addresses[1])).status).toBe(path.endsWith('/replay/run') ? 403 : 200);
    for (const address of addresses) {
      const { status, text } = await reader.get(address);
      expect([address, [403, (await admin.get(address)).status].includes(status)]).toEqual([address, true]);
      expect([address, postForms(text)]).toEqual([address, []]);
    }
  });

  it('finds the forms of those who may change something', async () => {
    const admin = await world.open('admin');
    const texts = await Promise.all(pages.map(async ({ path }) => (await admin.get(addressesOf(path)[0])).text));
    expect(texts.filter((text) => postForms(text).length > 0).length).toBeGreaterThan(8);
  });

  it.each(['/console/log-in', '/console/log-out', '/console/keys'])('%s refuses what is no form', async (address) => {
    for (const text of ['x', '--x\r\n\r\n--x--', '--x\r\ncontent-disposition: form-data; name="a\r\n\r\n']) {
      for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
        const session = await world.open(address === '/console/log-in' ? undefined : 'admin');
        const { status } = await session.post(address, { headers: ORIGIN, body: { type, text } });
        expect([type, text, status]).toEqual([type, text, 400]);
      }
    }
  });

  describe('no text in an address makes the server fail', () => {
    it.each(pages.map(({ path }) => path))(
      'on the page %s',
      async (path) => {
        for (const text of HOSTILE_TEXTS) {
          const admin = await world.open('admin');
          const addresses = [
            ...(path.includes(':') ? [fill(path, text)] : []),
            ...(parameterTexts.includes(text) ? parameters : []).map((name) => `${fill(path, 'x')}?${name}=${text}`),
          ];
          for (const address of addresses) {
            const { status } = await admin.get(`/console${address}`);
            expect([address, status]).toEqual([
              address,
              expect.toSatisfy((code: number) => code < 500 && code !== 429),
            ]);
          }
        }
      },
      120_000,
    );

    it.each(routes.map((route) => [route.operation, route] as const))(
      'on the route %s',
      async (_, route) => {
        const { method, path } = route;
        const body = route.body === undefined ? undefined : {};
        const names = Object.keys((route.query as unknown as z.ZodObject | undefined)?.shape ?? {});
        for (const text of HOSTILE_TEXTS) {
          const addresses = [
            ...(path.includes('{') ? [fill(path, text)] : []),
            ...names.map((name) => `${fill(path, 'x')}?${name}=${text}`),
          ];
          for (const address of addresses) {
            const { status, text: answer } = await world.ask(method.toUpperCase(), address, body);
            expect([address, status, answer.slice(0, 200)]).toEqual([
              address,
              expect.toSatisfy((code: number) => code < 500),
              expect.any(String),
            ]);
          }
        }
      },
      120_000,
    );
  });
}
