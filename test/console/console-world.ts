/** A console in this process: real SQLite stores, the real pipeline, a receiver on a local port, and a small browser. */

import { randomBytes } from 'node:crypto';
import { consoleApp } from '../../console/app.tsx';
import { makeLogInLink } from '../../console/log-in-link.ts';
import type { ConsolePass } from '../../core/model/console-pass.ts';
import type { BucketSize } from '../../core/model/token-bucket.ts';
import { manageApp } from '../../manage/app.ts';
import { openManagementApi } from '../../manage/management-api.ts';
import { type ApiWorldOptions, startApiWorld } from '../manage/api-world.ts';

export const BASE = 'http://127.0.0.1:4020';

export type ConsoleWorld = Awaited<ReturnType<typeof startConsoleWorld>>;

interface ConsoleWorldOptions extends ApiWorldOptions {
  /** Requests of a session. @default - more than a test makes, because time stands still */
  readonly rate?: BucketSize;
}

const UNLIMITED: BucketSize = { burst: 1_000_000, interval: 1 };

export async function startConsoleWorld({ rate = UNLIMITED, ...options }: ConsoleWorldOptions = {}) {
  const world = await startApiWorld(options);
  const { embedded, errors } = world;
  const api = options.wrap?.(world.api) ?? world.api;
  const report = (error: unknown) => errors.push(error);
  const app = manageApp({
    ...embedded,
    sources: embedded.config.sources,
    api: openManagementApi({ api, report }),
    console: consoleApp({ api, report, rate }),
  });
  const ann = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  const makeLink = (scope?: ConsolePass['scope']) => makeLogInLink({ ...api, randomBytes }, ann, BASE, scope);

  /** Keeps cookies, and follows no redirects. */
  const openBrowser = () => {
    const cookies = new Map<string, string>();
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      const response = await app.request(new URL(path, BASE).href, { ...init, headers });
      for (const line of response.headers.getSetCookie()) {
        const [pair = '', ...attributes] = line.split(/; */);
        const [name = '', value = ''] = pair.split('=');
        if (attributes.some((one) => /^max-age=0$/i.test(one))) cookies.delete(name);
        else cookies.set(name, value);
      }
      const { status, headers: received } = response;
      return { status, headers: received, text: await response.text(), location: received.get('location') };
    };
    const get = (path: string, headers: Readonly<Record<string, string>> = {}) => send(path, { headers });
    const post = (
      path: string,
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin', origin: BASE },
    ) => send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
    /** Opens the link, and sends the form of the page. */
    const logIn = async (link: string, next = '') => {
      const token = new URL(link).searchParams.get('token') ?? '';
      return post('/console/log-in', { token, next });
    };
    /** The token in the forms of a page. */
    const csrf = async (path = '/console/help') =>
      /name="csrf" value="([^"]+)"/.exec((await get(path)).text)?.[1] ?? '';
    return { cookies, get, post, send, logIn, csrf };
  };

  /** A browser with a session. */
  const logInAs = async (scope?: ConsolePass['scope']) => {
    const browser = openBrowser();
    await browser.logIn(await makeLink(scope));
    return browser;
  };
  return { ...world, app, makeLink, openBrowser, logInAs };
}
