/** The end of a session of the console, in the embedded mode. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endAllSessions } from '../../console/log-in-link.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { consoleSessionContract, type SessionBrowser, type SessionSite } from '../contract/console-session.ts';
import { startStill } from '../simulator/api-client.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let simulator: Simulator;
let site: SessionSite;

const ANN = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;

function toSessionBrowser(browser: ReturnType<ConsoleWorld['openBrowser']>): SessionBrowser {
  return {
    get: (path) => browser.get(path),
    post: (path, fields) => browser.post(path, fields),
    logIn: async () => void (await browser.logIn(await world.makeLink())),
    copy: () => {
      const other = world.openBrowser();
      for (const [name, value] of browser.cookies) other.cookies.set(name, value);
      return toSessionBrowser(other);
    },
  };
}

beforeAll(async () => {
  simulator = await startStill({ tasks: 10 });
  world = await startConsoleWorld();
  site = {
    logIn: async () => toSessionBrowser(await world.logInAs()),
    endAll: async () => void (await endAllSessions({ ...world.api, randomBytes }, ANN)),
    advance: world.advance,
    account: { url: simulator.url, token: simulator.tokens.Administrator[0] ?? '' },
    read: async () => ({
      sources: (await world.embedded.storedSources.list()).map(({ name }) => name),
      actions: (await world.api.audit.page({ limit: 100 })).entries.map(({ action }) => action),
    }),
  };
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  await simulator.stop();
});

consoleSessionContract(() => site);

describe('a link that is ended while it is used', () => {
  it.each(['save', 'take'] as const)('opens no session: before %s', async (step) => {
    const { consolePasses } = world.api;
    const original = consolePasses[step] as (one: unknown) => Promise<undefined>;
    const link = await world.makeLink();
    const browser = world.openBrowser();
    const endFirst = async (one: unknown) => {
      await site.endAll();
      return original(one);
    };
    const spy = vi.spyOn(consolePasses, step).mockImplementationOnce(endFirst as typeof original);
    const { status } = await browser.logIn(link);
    spy.mockRestore();
    expect([status, browser.cookies.size]).toEqual([410, 0]);
    expect(await consolePasses.removeAll()).toBe(0);
  });
});
