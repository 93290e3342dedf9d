/** The console on a local port with subscriptions, events and deliveries as in a small agency, and a browser that is logged in. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { BrowserContextOptions } from 'playwright-core';
import { eventTypes } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import type { ConsolePass } from '../../core/model/console-pass.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { HOUR, MINUTE, plus } from '../../core/model/time.ts';
import { putSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { type ConsoleWorld, startConsoleWorld } from '../console/console-world.ts';
import { NOON } from '../samples.ts';
import { openBrowser, openPage } from './chromium.ts';

const OPERATOR = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;

export type ConsoleSite = Awaited<ReturnType<typeof startConsoleSite>>;

export async function startConsoleSite() {
  const world = await startConsoleWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>', smtp: '${TOKEN}' },
      links: { task: 'https://work.example.com/tasks/{id}', invoice: 'https://work.example.com/invoices/{id}' },
    },
  });
  return { ...world, ...(await serveConsole(world)) };
}

/** Serves a console on a local port, with a browser that is logged in. */
export async function serveConsole(world: Pick<ConsoleWorld, 'app' | 'makeLink' | 'stop'>) {
  const browser = await openBrowser();
  const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await new Promise((resolve) => server.once('listening', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** A page with a session of its own. */
  const open = async (options: BrowserContextOptions & { readonly scope?: ConsolePass['scope'] } = {}) => {
    const { scope, ...context } = options;
    const opened = await openPage(browser, { timezoneId: 'Europe/Berlin', ...context });
    const token = new URL(await world.makeLink(scope)).searchParams.get('token') ?? '';
    await opened.page.goto(`${base}/console/log-in?token=${token}`);
    // Without a script, a person presses the button.
    if (context.javaScriptEnabled === false) await opened.page.getByRole('button').first().click();
    await opened.page.waitForURL((url) => !url.pathname.includes('log-in'));
    return { ...opened, go: (path: string) => opened.page.goto(`${base}/console${path}`) };
  };

  const stop = async () => {
    await browser.close();
    server.close();
    await world.stop();
  };
  return { browser, base, open, stop };
}

/** The latest events of an agency, oldest first. */
function agencyEvents(): readonly TidingsEvent[] {
  const types = ['task.created', 'invoice.payment_received', 'task.status_changed', 'task.overdue', 'invoice.paid'];
  return types.flatMap((name, index) => {
    const type = eventTypes.find((one) => one.type === name);
    const event = type === undefined ? undefined : exampleEvent(type);
    if (event === undefined) return [];
    return [{ ...event, id: `evt_agency_${index}`, time: plus(NOON, -(types.length - index) * HOUR) }];
  });
}

/** Subscriptions for each audience, one of which fails, with their deliveries. */
export async function fillAgency(
  world: Pick<ConsoleWorld, 'api' | 'receiver' | 'record' | 'pump' | 'advance' | 'embedded'>,
) {
  const { api, receiver } = world;
  const put = (name: string, body: object) => putSubscription(api, OPERATOR, name, body);
  await put('billing', { url: receiver.url, events: ['invoice.*'] });
  await put('overdue-digest', {
    to: { slack: { webhook: 'https://hooks.slack.com/services/T0/B0/example' } },
    events: ['task.overdue', 'task.due_soon'],
    where: { data: { record: { project: [{ 'equals-ignore-case': 'Website relaunch' }] } } },
    digest: { at: '08:30', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
  });
  await put('finance-mail', { to: { email: { to: ['finance@example.com'] } }, events: ['invoice.paid'] });
  const events = agencyEvents();
  await world.record(...events);
  const { replay } = await import('../../core/delivery/replay.ts');
  const { channelRegistry } = await import('../../adapters/channels/registry.ts');
  const ports = { ...world.embedded, channels: channelRegistry };
  const billing = await api.subscriptions.get('billing');
  const declared = await api.subscriptions.get('declared');
  if (billing === undefined || declared === undefined) throw new Error('the subscriptions are missing');
  await replay(
    ports,
    billing,
    events.filter(({ type }) => type.startsWith('invoice.')),
  );
  await world.pump();
  receiver.status = 500;
  world.advance(MINUTE);
  await replay(
    ports,
    declared,
    events.filter(({ type }) => type.startsWith('task.')),
  );
  await world.pump();
  receiver.status = 200;
}
