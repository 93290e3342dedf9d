/** Contract: what the end of a session of the console ends. Both modes pass it. */

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../core/model/time.ts';

interface Shown {
  readonly status: number;
  readonly text: string;
  readonly location?: string | null | undefined;
}

export interface SessionBrowser {
  get(path: string): Promise<Shown>;
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Shown>;
  /** Opens a further link in the same browser. */
  logIn(): Promise<void>;
  /** Another browser that has the cookie of this one. */
  copy(): SessionBrowser;
}

export interface SessionSite {
  /** A browser with a session. */
  logIn(): Promise<SessionBrowser>;
  /** Ends all sessions, as an operator does. */
  endAll(): Promise<void>;
  advance(millis: number): void;
  /** An account of a source that can be added. */
  readonly account: { readonly url: string; readonly token: string };
  /** The names of the sources that were added, and the actions of the audit trail, newest first. */
  read(): Promise<{ readonly sources: readonly string[]; readonly actions: readonly string[] }>;
}

type End = (site: SessionSite, browser: SessionBrowser, csrf: string) => Promise<unknown>;

/** All ways in which a session ends. */
const ENDS: Readonly<Record<string, End>> = {
  'the person logs out': (_, browser, csrf) => browser.post('/console/log-out', { csrf }),
  'another person logs in with the same browser': (_, browser) => browser.logIn(),
  'an operator ends all sessions': (site) => site.endAll(),
  'it expires': async (site) => site.advance(12 * HOUR),
};

/** @param openSite it is started before the tests and stopped after them by the caller */
export function consoleSessionContract(openSite: () => SessionSite): void {
  /** Called at the next request of a source, before it is answered. */
  let onRequest: (() => Promise<unknown>) | undefined;
  const proxy = createServer(async (incoming, response) => {
    const act = onRequest;
    onRequest = undefined;
    await act?.();
    const { pathname, hostname, port } = new URL(openSite().account.url);
    const path = `${pathname.replace(/\/$/, '')}${incoming.url ?? ''}`;
    const { method, headers } = incoming;
    const forwarded = request({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    proxy.closeAllConnections();
    return new Promise<void>((resolve) => proxy.close(() => resolve()));
  });

  const csrfIn = ({ text }: Shown) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const source = (csrf: string, name: string) => {
    const { port } = proxy.address() as AddressInfo;
    return { csrf, name, baseUrl: `http://127.0.0.1:${port}`, token: openSite().account.token };
  };

  describe.each(Object.entries(ENDS))('a session that ends because %s', (_, end) => {
    it('shows no page and accepts no form, also with its old cookie', async () => {
      const site = openSite();
      const browser = await site.logIn();
      const page = await browser.get('/console/sources');
      expect(page.status).toBe(200);
      const former = browser.copy();
      await end(site, browser, csrfIn(page));
      const before = await site.read();
      for (const path of [
        '/console',
        '/console/sources',
        '/console/events',
        '/console/keys',
        '/console/no-such-page',
      ]) {
        const { status, location, text } = await former.get(path);
        expect([path, status, text]).toEqual([path, 303, '']);
        expect(location).toMatch(/^\/console\/log-in/);
      }
      const csrf = csrfIn(page);
      for (const [path, fields] of [
        ['/console/sources', source(csrf, 'late')],
        ['/console/keys', { csrf, name: 'late', scopes: 'admin' }],
        ['/console/log-out', { csrf }],
      ] as const) {
        const { status, location } = await former.post(path, fields);
        expect([path, status, location]).toEqual([path, 303, expect.stringMatching(/^\/console\/log-in/)]);
      }
      expect(await site.read()).toEqual(before);
    });

    it('changes nothing more through a form that was sent before', async () => {
      const site = openSite();
      const browser = await site.logIn();
      const csrf = csrfIn(await browser.get('/console/sources'));
      const former = browser.copy();
      let before = await site.read();
      onRequest = async () => {
        await end(site, browser, csrf);
        before = await site.read();
      };
      const { status, text } = await former.post('/console/sources', source(csrf, 'in-flight'));
      expect([status, /This session has ended: log in again/.exec(text)?.[0]]).toEqual([
        403,
        'This session has ended: log in again',
      ]);
      expect(await site.read()).toEqual(before);
    });
  });

  it('a session that has not ended adds the source', async () => {
    const site = openSite();
    const browser = await site.logIn();
    const csrf = csrfIn(await browser.get('/console/sources'));
    const added = await browser.post('/console/sources', source(csrf, 'in-time'));
    expect([added.status, added.location]).toEqual([303, '/console/sources?done=source-added']);
    expect((await site.read()).sources).toEqual(['in-time']);
  });
}
