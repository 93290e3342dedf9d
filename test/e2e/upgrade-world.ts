/**
 * The account and the config behind `fixtures/data-0.1.0.db`: a data file that version 0.1.0 wrote. Both versions play the
 * same acts on the simulator, so the file and the account agree.
 */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Mailbox, startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { SECRET } from '../samples.ts';

const BASELINE_AT = '2026-03-02T09:00:00.000Z';
const CHANGES_AT = '2026-03-02T09:25:00.000Z';
/** When the data file was written. */
const WRITTEN_AT = '2026-03-02T09:40:00.000Z';

const CLOSED_STATUS = 7;

export interface UpgradeWorld {
  readonly simulator: Simulator;
  readonly mailbox: Mailbox;
  /** `/path webhook-id` of each received request, in order. */
  readonly posts: readonly string[];
  readonly config: string;
  /** Responds to every request to this path with 503. */
  refuse(path: string | undefined): void;
  stop(): Promise<void>;
}

export async function openUpgradeWorld(folder: string): Promise<UpgradeWorld> {
  const simulator = await startSimulator({ tasks: 30, seed: 7, now: BASELINE_AT, speed: 0 });
  const mailbox = await startMailbox();
  const posts: string[] = [];
  let refused: string | undefined;
  const server = createServer(async (request, response) => {
    await text(request);
    posts.push([request.url, request.headers['webhook-id']].filter(Boolean).join(' '));
    response.writeHead(request.url === refused ? 503 : 200).end('ok');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = join(folder, 'tidings.json');
  const http = (name: string) => ({ http: { url: `${url}/${name}`, secret: SECRET } });
  writeFileSync(
    config,
    JSON.stringify({
      source: { baseUrl: simulator.url, token: simulator.tokens.Administrator[0] },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      mail: { from: 'tidings@example.com', smtp: mailbox.smtpUrl },
      subscriptions: [
        { name: 'healthy', events: ['task.*', 'invoice.*'], to: http('healthy') },
        { name: 'flaky', events: ['task.closed'], to: http('flaky') },
        { name: 'paused', events: ['task.closed'], to: http('paused') },
        { name: 'chat', events: ['task.closed', 'invoice.paid'], to: { slack: { webhook: `${url}/chat` } } },
        {
          name: 'digest',
          events: ['task.closed', 'invoice.paid'],
          digest: { at: '16:00' },
          timeZone: 'UTC',
          to: { email: { to: ['team@example.com'] } },
        },
      ],
    }),
  );
  return {
    simulator,
    mailbox,
    posts,
    config,
    refuse: (path) => {
      refused = path;
    },
    stop: async () => {
      server.closeAllConnections();
      await Promise.all([
        simulator.stop(),
        mailbox.close(),
        new Promise<void>((closed) => server.close(() => closed())),
      ]);
    },
  };
}

/** Two tasks are closed, one is created and an invoice is paid. */
export function makeChanges({ account }: Simulator): void {
  account.clock.set(CHANGES_AT);
  const open = account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  for (const id of open.slice(0, 2)) account.update('task', id, { statusid: CLOSED_STATUS });
  const [project] = account.list('project', {});
  account.create('task', {
    projectid: String(project?.id),
    title: 'Made between two polls',
    statusid: 1,
    priorityid: 3,
    moduleid: 1,
    ownerid: 1,
    dateopen: '2026-03-02',
  });
  const owed = account.list('invoice', {}).find(({ balance }) => Number(balance) > 0);
  account.pay(String(owed?.id));
  account.clock.set(WRITTEN_AT);
}
