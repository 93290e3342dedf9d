/** The pages of the console: what they show, their filters and actions, and that data never becomes markup. */

import { Parser } from 'htmlparser2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause } from '../../core/delivery/hold.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import { HOUR, MINUTE, plus } from '../../core/model/time.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { cpuMillis } from '../cpu-time.ts';
import { event, NOON, SECRET, snapshot, subscription } from '../samples.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;

function titled(id: string, record: Fields, change: Partial<TidingsEvent> = {}): TidingsEvent {
  const one = event(id, change);
  return { ...one, data: { ...one.data, ...change.data, record: { id, ...record } } };
}

beforeAll(async () => {
  world = await startConsoleWorld({
    config: {
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' },
      links: { task: 'https://work.example.com/tasks/{id}' },
      customEvents: [
        {
          type: 'task.really_late',
          meaning: 'The client has to be called.',
          when: { after: { stage: { overdue: [true] } } },
        },
      ],
      subscriptions: [
        { name: 'declared', events: ['task.*'], to: { http: { url: 'http://127.0.0.1:9/never', secret: SECRET } } },
        { name: 'billing', events: ['invoice.*'], to: { http: { url: 'http://127.0.0.1:9/never', secret: SECRET } } },
        {
          name: 'red',
          events: ['task.*'],
          where: { data: { record: { client: ['Acme'] } } },
          to: { http: { url: 'http://127.0.0.1:9/never', secret: SECRET } },
        },
      ],
    },
  });
  const change = { field: 'datedue', from: '2026-11-18', to: '2026-11-20' };
  const base = event('2').data;
  const occurred = { after: plus(NOON, -5 * 60_000), before: NOON };
  const foundAt = plus(NOON, -40 * HOUR);
  const dated = { after: plus(foundAt, -10 * 60_000), before: plus(foundAt, -58_000) };
  await world.record(
    titled('1', { title: 'Proofread the newsletter', client: 'Northwind' }),
    titled(
      '2',
      { title: 'Write the offer', client: 'Northwind', project: 'Website', datedue: '2026-11-20' },
      { type: 'task.due_date_changed', data: { ...base, changes: [change], occurred } },
    ),
    titled('3', { title: 'Old' }, { time: plus(NOON, -30 * HOUR) }),
    titled('4', { title: 'Dated' }, { time: foundAt, data: { ...base, occurred: dated } }),
  );
  const record = { id: '2', title: 'Write the offer', datedue: '2026-11-20', dateclosed: null };
  const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
  const one = snapshot('2', { record, stage, nextMoment: '2026-11-20T23:00:00.000Z' });
  await world.embedded.snapshots.commit([{ snapshot: one, expected: 0 }]);
  browser = await world.logInAs();
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

/** The text of a page without tags. */
async function textOf(path: string): Promise<string> {
  const { text, status } = await browser.get(path);
  expect(status).toBe(200);
  return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('Now', () => {
  it('shows the sources, what waits, the events per hour and the forecast', async () => {
    const text = await textOf('/console');
    expect(text).toContain('The first scan of the account comes next. 1 source, 3 subscriptions.');
    expect(text).toContain('2 events in the last 24 hours');
    expect(text).toContain('Source main');
    expect(text).toContain('No delivery waits');
  });

  it('shows a failing receiver of the operator, however many subscriptions a key has, failing ones too', async () => {
    const many = await startConsoleWorld();
    const reader = await many.logInAs();
    const { subscriptions } = many.embedded;
    const ports = { ...many.embedded, clock: many.clock };
    for (let n = 100; n < 350; n++) {
      const name = `0000-${n}`;
      await subscriptions.add(subscription(name, { declared: false, owner: 'key' }));
      await pause(ports, name);
    }
    await subscriptions.add(subscription('ops-pager', { declared: false }));
    await pause(ports, 'ops-pager');
    const text = (await reader.get('/console')).text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Needs attention');
    expect(text).toContain('ops-pager');
    expect(text.match(/0000-\d+/g)?.length).toBeLessThan(25);
    expect(text).toMatch(/\d+ more subscriptions that need attention/);
    await many.stop();
  });

  it('shows all but the forecast if that takes too long, and does not try again at once', async () => {
    let listed = 0;
    const workLimits = { request: 20, perMinute: 1e6, waiting: 20 };
    const slow = await startConsoleWorld({
      wrap: (api) => {
        const due: typeof api.snapshots.due = (...query) => {
          listed += 1;
          for (const from = cpuMillis(); cpuMillis() - from < 200; );
          return api.snapshots.due(...query);
        };
        return { ...api, workLimits, snapshots: { ...api.snapshots, due } };
      },
    });
    const reader = await slow.logInAs();
    for (let time = 0; time < 2; time++) {
      const { status, text } = await reader.get('/console');
      expect(status).toBe(200);
      expect(text).toContain('It takes too long to compute now');
      expect(text).toContain('Events per hour');
    }
    const tried = listed;
    expect(tried).toBeGreaterThan(0);
    slow.advance(9 * MINUTE);
    await reader.get('/console');
    expect(listed).toBe(tried);
    slow.advance(2 * MINUTE);
    await reader.get('/console');
    expect(listed).toBeGreaterThan(tried);
    await slow.stop();
  });

  it('shows the forecast to others while the requests of one session take up its time', async () => {
    const workLimits = { request: 1e6, perMinute: 1e6, waiting: 20 };
    const busy = await startConsoleWorld({ wrap: (api) => ({ ...api, workLimits }) });
    const [reader, admin] = [await busy.logInAs('read'), await busy.logInAs()];
    workLimits.waiting = 0;
    const refused = await reader.get('/console');
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('the requests of this session take up the time');
    workLimits.waiting = 20;
    for (const browser of [admin, reader]) {
      expect((await browser.get('/console')).text).toContain('No message waits');
    }
    expect(busy.errors).toEqual([]);
    await busy.stop();
  });

  it('asks for a scan of the account', async () => {
    const { location } = await browser.post('/console/sources/main/scan', { csrf: await browser.csrf() });
    expect(location).toBe('/console?done=scan');
    expect(await textOf('/console?done=scan')).toContain('Tidings scans the account');
    const { entries } = await world.api.audit.page({ limit: 1 });
    expect(entries[0]).toMatchObject({ action: 'source.scan_requested', by: { kind: 'console', id: 'ann' } });
  });
});

describe('Events', () => {
  it('lists sentences, newest first, by day of the account', async () => {
    const text = await textOf('/console/events');
    expect(text).toContain('Today, Sat 14 Nov');
    expect(text).toContain('Yesterday, Fri 13 Nov');
    expect(text.indexOf('Write the offer')).toBeLessThan(text.indexOf('Proofread the newsletter'));
    expect(text).toContain('13:00:00');
  });

  it.each([
    ['q=newsletter', ['evt_1']],
    ['type=task.due_*', ['evt_2']],
    ['subject=task/2', ['evt_2']],
    ['since=24h', ['evt_2', 'evt_1']],
    ['source=main&q=offer', ['evt_2']],
    ['from=2026-11-13T00%3A00&to=2026-11-13T23%3A59', ['evt_3']],
    ['q=nothing', []],
  ])('filters by %s', async (query, ids) => {
    const { text } = await browser.get(`/console/events?${query}`);
    expect([...text.matchAll(/<li id="(evt_\w+)"/g)].map(([, id]) => id)).toEqual(ids);
  });

  it('says what is wrong with a filter, and what to do when nothing is found', async () => {
    expect(await textOf('/console/events?type=%3Cb%3E')).toContain('Type: expected one such as task.closed');
    expect(await textOf('/console/events?from=yesterday')).toContain('From: expected a date and a time');
    expect(await textOf('/console/events?q=nothing')).toContain('Show all events');
    expect((await browser.get('/console/events?after=nonsense')).status).toBe(400);
  });

  it('leads from a search for a record to its page', async () => {
    expect((await browser.get('/console/events?q=task/2')).text).toContain('href="/console/records/task/2"');
    expect((await browser.get('/console/events?q=unicorn/2')).text).not.toContain('/console/records/');
  });

  it('has pages, which are links, and is live on the first one only', async () => {
    const many = await startConsoleWorld();
    await many.record(...Array.from({ length: 60 }, (_, n) => event(String(n))));
    const reader = await many.logInAs('read');
    const first = await reader.get('/console/events');
    expect(first.text).toContain('data-live');
    const older = /href="(\/console\/events\?after=[^"]+)"/.exec(first.text)?.[1] ?? '';
    const second = await reader.get(older);
    expect(second.text.match(/<li id="evt_/g)).toHaveLength(10);
    expect(second.text).not.toContain('data-live=""');
    await many.stop();
  });

  it('returns only its content to the script', async () => {
    const { text } = await browser.get('/console/events', { 'x-fragment': '1' });
    expect(text).toMatch(/^<!doctype html><main/);
    expect(text).not.toContain('<nav aria-label="Console">');
  });
});

describe('Event', () => {
  it('shows the change, the window, the rule and the envelope', async () => {
    const text = await textOf('/console/events/evt_2');
    expect(text).toContain('Due 2026-11-18 2026-11-20');
    expect(text).toContain('It happened within 5 min');
    expect(text).toContain('Northwind · Website');
    expect(text).toContain('&quot;specversion&quot;: &quot;1.0&quot;');
    expect((await browser.get('/console/events/evt_2')).text).toContain('href="https://work.example.com/tasks/2"');
  });

  it('tells when it was found from when it happened', async () => {
    const text = await textOf('/console/events/evt_4');
    expect(text).toContain('It happened within 9 min 2 s, and was found 58 s later.');
    // 40 hours before noon UTC, in Berlin.
    expect(text).toMatch(/20:50:00\s+not before\s+20:59:02\s+not after\s+21:00:00\s+found/);
    expect(text).toMatch(/Found [^:]*21:00:00/);
  });

  it('says who got it and who did not, and why', async () => {
    const text = await textOf('/console/events/evt_2');
    expect(text).toContain('it matches now, but did not when the event was announced');
    expect(text).toContain('wants other event types: invoice.*');
    expect(text).toContain('data.record.client should be');
  });

  it('is sent again by a form, which the audit trail names, and shows the attempt', async () => {
    const csrf = await browser.csrf('/console/events/evt_1');
    const form = { csrf, subscription: 'declared' };
    const { status, location } = await browser.post('/console/events/evt_1/resend', form);
    expect([status, location]).toEqual([303, '/console/events/evt_1?done=resent']);
    await world.pump();
    const text = await textOf('/console/events/evt_1?done=resent');
    expect(text).toContain('It is being sent again');
    expect(text).toContain('retrying');
    expect(text).toContain('Retry now');
    const { entries } = await world.api.audit.page({ limit: 1 });
    expect(entries[0]).toMatchObject({ action: 'subscription.replayed', by: { kind: 'console', id: 'ann' } });
    await browser.post('/console/events/evt_1/resend', form);
    const { entries: after } = await world.api.audit.page({ limit: 1 });
    expect(after[0]).toMatchObject({ action: 'delivery.retried' });
  });

  it('cannot be sent by a reader, and shows them no button', async () => {
    const reader = await world.logInAs('read');
    const { text } = await reader.get('/console/events/evt_1');
    expect(text).not.toContain('/resend');
    const form = { csrf: await reader.csrf(), subscription: 'declared' };
    expect((await reader.post('/console/events/evt_1/resend', form)).status).toBe(403);
  });

  it('that does not exist, and a subscription that does not, are pages that say so', async () => {
    expect((await browser.get('/console/events/evt_none')).status).toBe(404);
    const form = { csrf: await browser.csrf(), subscription: 'none' };
    const { status, text } = await browser.post('/console/events/evt_1/resend', form);
    expect([status, text.includes('Subscription &#39;none&#39; not found')]).toEqual([404, true]);
  });
});

describe('Record', () => {
  it('shows what is known, what time will bring, and why versions caused no event', async () => {
    const text = await textOf('/console/records/task/2');
    expect(text).toContain('Write the offer');
    expect(text).toContain('Sat 21 Nov, 00:00');
    expect(text).toContain('task.overdue');
    expect(text).toMatch(/The client has to be called\s+task\.really_late/);
    expect(text).toContain('As last seen');
  });

  it('shows no test: neither in its history nor as another event of the same change', async () => {
    const sent = await world.embedded.events.get('evt_2');
    if (sent === undefined) throw new Error('no event');
    await world.record({ ...sent, id: 'evt_2test', test: true });
    const links = async (path: string) => (await browser.get(path)).text.match(/\/console\/events\/evt_\w+/g) ?? [];
    expect(await links('/console/records/task/2')).not.toContain('/console/events/evt_2test');
    expect(await links('/console/events/evt_2')).not.toContain('/console/events/evt_2test');
    expect(await links('/console/events/evt_2test')).not.toContain('/console/events/evt_2');
  });

  it('says why a record is not there', async () => {
    const { status, text } = await browser.get('/console/records/task/999');
    expect(status).toBe(404);
    expect(text).toContain('the first scan of task is not complete yet');
    expect((await browser.get('/console/records/unicorn/1')).status).toBe(404);
  });
});

describe('hostile data', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</title><script>alert(1)</script>',
    'javascript:alert(1)',
    'x'.repeat(10_240),
    '\u202etxt.exe\u2066 مرحبا بالعالم',
    '👩‍👩‍👧‍👦🏳️‍🌈\ud800',
    '${7*7}{{7*7}}',
    '\u0000\u0007\u001b[31m',
  ];

  it('stays text on every page', async () => {
    const hostile = await startConsoleWorld({
      config: { links: { task: '{url}' } },
    });
    const reader = await hostile.logInAs();
    const events = HOSTILE.map((title, index) => {
      const record = { title, client: title, project: title, name: title, url: 'javascript:alert(1)' };
      const one = titled(`h${index}`, record);
      const changes = [{ field: title.slice(0, 80), from: title, to: `${title}!` }];
      return { ...one, subject: `task/${index + 1}`, data: { ...one.data, changes } };
    });
    await hostile.record(...events);
    const records = HOSTILE.map((title, index) => {
      const id = String(index + 1);
      return {
        snapshot: snapshot(id, { record: { id, title, notes: title, [title.slice(0, 40)]: title } }),
        expected: 0,
      };
    });
    await hostile.embedded.snapshots.commit(records);
    const pages = ['/console', '/console/events', `/console/events?q=${encodeURIComponent(HOSTILE[1] ?? '')}`];
    const all = [
      ...pages,
      ...events.map(({ id }) => `/console/events/${id}`),
      ...records.map(({ snapshot: { key } }) => `/console/records/task/${key.id}`),
    ];
    for (const path of all) {
      const { text, status } = await reader.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(Buffer.byteLength(text)).toBeLessThan(100_000);
      expect(findMarkup(text)).toEqual([]);
    }
    expect(hostile.errors).toEqual([]);
    await hostile.stop();
  });

  /** Scripts other than ours, event handlers, and links with a scheme that runs code. */
  function findMarkup(html: string): readonly string[] {
    const found: string[] = [];
    const parser = new Parser({
      onopentag(name, attributes) {
        if (name === 'script' && !/^\/console\/script-[0-9a-f]+\.js$/.test(attributes.src ?? '')) found.push('script');
        if (name === 'img' || name === 'iframe' || name === 'style') found.push(name);
        for (const [key, value] of Object.entries(attributes)) {
          if (key.startsWith('on') || key === 'style') found.push(key);
          if (/^(href|src|action)$/.test(key) && /^\s*(javascript|data|vbscript):/i.test(value)) found.push(value);
        }
      },
    });
    parser.end(html);
    return found;
  }
});
