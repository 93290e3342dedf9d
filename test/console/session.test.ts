/** Log-in, sessions and the defences of the console: fixation, forged forms, frames and redirects to other sites. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { safeReturnPath } from '../../console/paths.ts';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import { SESSION_REQUESTS } from '../../manage/api/http/quotas.ts';
import { BASE, type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({ rate: SESSION_REQUESTS });
});
afterAll(() => world.stop());

describe('log-in', () => {
  it('is not lost with a slash at the end of an address', async () => {
    const browser = world.openBrowser();
    for (const [path, target] of [
      ['/console/', '/console'],
      ['/console/events/?q=x', '/console/events?q=x'],
      ['/console//evil.example/', '/console//evil.example'],
    ] as const) {
      const { status, location } = await browser.get(path);
      expect([status, location]).toEqual([301, target]);
    }
  });

  it('shows nothing without a session, and leads to the log-in page and back', async () => {
    const browser = world.openBrowser();
    const { status, location } = await browser.get('/console/events?q=x');
    expect([status, location]).toEqual([303, '/console/log-in?next=%2Fconsole%2Fevents%3Fq%3Dx']);
    const page = await browser.get(location ?? '');
    expect(page.text).toContain('tidings console');
    const { location: after } = await browser.logIn(await world.makeLink(), '/console/events?q=x');
    expect(after).toBe('/console/events?q=x');
    expect((await browser.get('/console/events')).status).toBe(200);
  });

  it('does not use a link up when it is opened, only when its form is sent', async () => {
    const link = await world.makeLink();
    const scanner = world.openBrowser();
    expect((await scanner.get(link)).text).toContain('Log in as ann');
    expect(scanner.cookies.size).toBe(0);
    const browser = world.openBrowser();
    expect((await browser.logIn(link)).status).toBe(303);
    expect((await browser.get('/console')).status).toBe(200);
  });

  it('accepts a link once, also when two requests arrive together', async () => {
    const link = await world.makeLink();
    const browsers = [world.openBrowser(), world.openBrowser(), world.openBrowser()];
    const answers = await Promise.all(browsers.map((browser) => browser.logIn(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    const late = world.openBrowser();
    expect((await late.get(link)).status).toBe(410);
    expect((await late.logIn(link)).text).toContain('used already, or has expired');
    expect(late.cookies.size).toBe(0);
  });

  it('refuses a link after ten minutes, and an unknown one', async () => {
    const link = await world.makeLink();
    world.advance(10 * MINUTE);
    expect((await world.openBrowser().logIn(link)).status).toBe(410);
    expect((await world.openBrowser().logIn(`${BASE}/console/log-in?token=unknown`)).status).toBe(410);
  });

  it('does not parse a large form of someone without a session', async () => {
    const { status } = await world.openBrowser().post('/console/log-in', { token: 'x'.repeat(20_000) });
    expect(status).toBe(413);
  });

  it('reads few fields of a form of someone without a session', async () => {
    const token = new URL(await world.makeLink()).searchParams.get('token') ?? '';
    const others = Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`x${number}`, '']));
    const browser = world.openBrowser();
    expect((await browser.post('/console/log-in', { ...others, token })).status).toBe(410);
    expect((await browser.post('/console/log-in', { token, ...others })).status).toBe(303);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send, and on https only over https', async () => {
    const browser = world.openBrowser();
    const { headers } = await browser.logIn(await world.makeLink());
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^tidings-console-4020=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const token = new URL(await world.makeLink()).searchParams.get('token') ?? '';
    const response = await world.app.request('https://tidings.example.com/console/log-in', {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { origin: 'https://tidings.example.com' },
    });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-tidings-console=.*; Secure/);
  });

  it('stores neither tokens of links nor of sessions', async () => {
    const link = await world.makeLink();
    const browser = world.openBrowser();
    await browser.logIn(link);
    const [session = ''] = browser.cookies.values();
    expect(await world.api.consolePasses.get(session)).toBeUndefined();
    const { entries } = await world.api.audit.page({ limit: 5 });
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(entries[0]).toMatchObject({ action: 'console.logged_in', by: { kind: 'console', id: 'ann' } });
    expect(entries[1]).toMatchObject({ action: 'console.link_made', by: { kind: 'command', id: 'ann' } });
  });

  it('shows a link from a chat to people with a session', async () => {
    const browser = await world.logInAs();
    const [cookie] = [...browser.cookies];
    browser.cookies.clear();
    const { status, text } = await browser.get('/console/events?type=task.*', { 'sec-fetch-site': 'cross-site' });
    expect(status).toBe(200);
    expect(text).toContain('<meta http-equiv="refresh" content="0;url=/console/events?type=task.*"/>');
    browser.cookies.set(...(cookie ?? ['', '']));
    expect((await browser.get('/console/events?type=task.*')).status).toBe(200);
  });
});

describe('sessions', () => {
  it('end after 12 hours', async () => {
    const browser = await world.logInAs();
    world.advance(12 * HOUR - MINUTE);
    expect((await browser.get('/console/events')).status).toBe(200);
    world.advance(MINUTE);
    expect((await browser.get('/console/events')).status).toBe(303);
    expect((await browser.get('/console/events', { 'x-fragment': '1' })).status).toBe(401);
  });

  it('end for good when a person logs out', async () => {
    const browser = await world.logInAs();
    const cookies = new Map(browser.cookies);
    const { location } = await browser.post('/console/log-out', { csrf: await browser.csrf() });
    expect(location).toBe('/console/log-in?out=yes');
    expect(browser.cookies.size).toBe(0);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.get('/console')).status).toBe(303);
  });

  it('get a new token at log-in: one that an attacker has set is not adopted', async () => {
    const browser = world.openBrowser();
    browser.cookies.set('tidings-console-4020', 'chosen-by-an-attacker');
    await browser.logIn(await world.makeLink());
    expect(browser.cookies.get('tidings-console-4020')).not.toBe('chosen-by-an-attacker');
    const attacker = world.openBrowser();
    attacker.cookies.set('tidings-console-4020', 'chosen-by-an-attacker');
    expect((await attacker.get('/console/events')).status).toBe(303);
  });

  it('of a former person end when another logs in with the same browser', async () => {
    const browser = await world.logInAs();
    const former = new Map(browser.cookies);
    await browser.logIn(await world.makeLink('read'));
    expect((await browser.get('/console/events')).text).toContain('read-only');
    const other = world.openBrowser();
    for (const [name, value] of former) other.cookies.set(name, value);
    expect((await other.get('/console')).status).toBe(303);
  });

  it('are not opened by the token of a link', async () => {
    const token = new URL(await world.makeLink()).searchParams.get('token') ?? '';
    const browser = world.openBrowser();
    browser.cookies.set('tidings-console-4020', token);
    expect((await browser.get('/console/events')).status).toBe(303);
  });
});

describe('limits', () => {
  it('of a session are not used up by someone with a read-only link of the same person', async () => {
    const [reader, maker] = [await world.logInAs('read'), await world.logInAs()];
    const statuses: number[] = [];
    for (let n = 0; n < 110; n++) statuses.push((await reader.get('/console/help')).status);
    expect([statuses.filter((one) => one === 200).length, statuses.at(-1)]).toEqual([100, 429]);
    const refused = await reader.get('/console/help');
    expect([refused.headers.get('retry-after'), refused.text]).toEqual([
      '1',
      expect.stringContaining('in this session'),
    ]);
    expect((await maker.get('/console/help')).status).toBe(200);
    world.advance(MINUTE);
    expect((await reader.get('/console/help')).status).toBe(200);
  });
});

describe('forged requests', () => {
  it('are refused without the token of the session, with that of another, and from another site', async () => {
    const browser = await world.logInAs();
    const other = await world.logInAs();
    const csrf = await browser.csrf();
    const forged = [
      await browser.post('/console/log-out', {}),
      await browser.post('/console/log-out', { csrf: await other.csrf() }),
      await browser.post('/console/log-out', { csrf }, { 'sec-fetch-site': 'cross-site' }),
      await browser.post('/console/log-out', { csrf }, { 'sec-fetch-site': 'same-site' }),
      await browser.post('/console/log-out', { csrf }, { origin: 'https://evil.example.com' }),
      await browser.post('/console/log-out', { csrf }, { origin: 'null' }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(Array(6).fill(403));
    expect((await browser.get('/console/events')).status).toBe(200);
  });

  it('cannot log a person in from another site', async () => {
    const link = await world.makeLink();
    const token = new URL(link).searchParams.get('token') ?? '';
    const browser = world.openBrowser();
    const { status } = await browser.post('/console/log-in', { token }, { origin: 'https://evil.example.com' });
    expect(status).toBe(403);
    expect((await browser.logIn(link)).status).toBe(303);
  });

  it('of any method but GET and POST do nothing', async () => {
    const browser = await world.logInAs();
    const [[name, value] = ['', '']] = [...browser.cookies];
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const headers = { cookie: `${name}=${value}` };
      expect((await world.app.request(`${BASE}/console/log-out`, { method, headers })).status).toBe(404);
    }
    expect((await browser.get('/console/events')).status).toBe(200);
  });
});

describe('headers', () => {
  it('forbid frames, scripts in pages, other sites and caches, on every page', async () => {
    const browser = await world.logInAs();
    for (const path of ['/console', '/console/log-in', '/console/nothing', '/console/events']) {
      const { headers } = await browser.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('allow the style sheet and the script to be cached, whose names change with their content', async () => {
    const { text } = await (await world.logInAs()).get('/console/events');
    for (const path of text.match(/\/console\/(style|script)-[0-9a-f]+\.\w+/g) ?? []) {
      const { status, headers } = await world.openBrowser().get(path);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('immutable');
    }
    expect(text).not.toMatch(/<style|style="|<script>| on\w+="/);
  });
});

describe('the page after logging in', () => {
  it.each([
    'https://evil.example.com/console',
    '//evil.example.com/console',
    '/\\evil.example.com/console',
    '\\\\evil.example.com',
    'javascript:alert(1)',
    '/console/../v1/docs',
    '/consolebad',
    '/console/log-out',
    'console/events',
    '',
  ])('is not %s', (next) => {
    expect(safeReturnPath(next)).toBe('/console');
  });

  it('is always a path of the console', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.webPath().map((path) => `/console${path}`),
        ),
        (next) => {
          const url = new URL(safeReturnPath(next), 'https://tidings.example.com');
          expect(url.origin).toBe('https://tidings.example.com');
          expect(url.pathname).toMatch(/^\/console(\/|$)/);
        },
      ),
    );
  });
});
