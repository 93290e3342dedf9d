/**
 * `redmine`: requests in a day of a real Redmine with 10,000 issues and an edit every 25 minutes, and the seconds from an edit to its webhook.
 * Polls every 5 minutes on virtual time; a proxy moves the clock that Redmine shows, and edits are dated in its database.
 */

import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { type Duration, MINUTE, SECOND } from '../core/model/time.ts';
import { parseConfig } from '../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import { once } from '../runtime/embedded/once.ts';
import { pollCycle } from '../runtime/poll-cycle.ts';
import { startReceiver } from '../test/e2e/receiver.ts';
import { createIssue, createProject, editIssue } from '../test/redmine/people.ts';
import { type RedmineServer, startRedmine } from '../test/redmine/server.ts';
import { SECRET } from '../test/samples.ts';
import type { Benchmark } from './bench.ts';

const ISSUES = 10_000;
const POLL_EVERY: Duration = 5 * MINUTE;
const POLLS_A_DAY = (24 * 60 * MINUTE) / POLL_EVERY;
/** One edit in so many polls. */
const POLLS_PER_EDIT = 5;
const EDITS_A_DAY = Math.floor(POLLS_A_DAY / POLLS_PER_EDIT);
const MAX_REQUESTS = 400;
const MEASURED_EDITS = 10;

export const redmine: Benchmark = async () => {
  const server = await startRedmine();
  const receiver = await startReceiver(SECRET);
  let offset = 0;
  const now = () => new Date(Date.now() + offset).toISOString();
  const proxy = await startProxy(server, now);
  try {
    const issue = await fill(server);
    const open = (baseUrl: string, every: string, clock: () => string) =>
      openEmbedded({
        config: parseConfig('bench.json', configText(baseUrl, server.adminKey, every, receiver.url), {}),
        database: openDatabase(':memory:'),
        environment: {},
        clock: { now: clock },
        holder: 'bench',
        random: () => 0.5,
      });
    const slow = await open(proxy.url, '5m', now);
    await poll(slow);
    const before = requestsOf(slow);
    for (let number = 1; number <= POLLS_A_DAY; number++) {
      offset += POLL_EVERY;
      if (number % POLLS_PER_EDIT === 0) editAt(server, number, now());
      await poll(slow);
    }
    const requests = requestsOf(slow) - before;
    await slow.close();
    const fast = await open(server.url, '1s', () => new Date().toISOString());
    await once(fast);
    const seconds: number[] = [];
    for (let number = 0; number < MEASURED_EDITS; number++) {
      await sleep(1100);
      const startedAt = performance.now();
      await editIssue(server, server.adminKey, issue, { subject: `Measured ${number}` });
      await once(fast);
      if (receiver.events.at(-1)?.subject !== `task/${issue}`) throw new Error('the webhook did not arrive');
      seconds.push((performance.now() - startedAt) / SECOND);
    }
    await fast.close();
    const [median = 0] = seconds.sort((a, b) => a - b).slice(seconds.length / 2);
    const cadence = POLL_EVERY / SECOND;
    return [
      {
        name: 'redmine',
        ours: `${requests} requests for a day with ${EDITS_A_DAY} edits of ${ISSUES.toLocaleString('en')} issues`,
        floor: `${MAX_REQUESTS}`,
        ratio: requests / MAX_REQUESTS,
        aim: 1,
      },
      {
        name: 'redmine-webhook',
        ours: `${median.toFixed(1)} s from an edit to its webhook if a poll is due at once; every 5 minutes ${(cadence / 2 + median).toFixed(0)} s on average`,
        floor: `${cadence} s, the cadence`,
        ratio: (cadence / 2 + median) / cadence,
        aim: 1,
      },
    ];
  } finally {
    proxy.close();
    await receiver.close();
    await server.stop();
  }
};

function configText(baseUrl: string, token: string, every: string, url: string): string {
  return JSON.stringify({
    source: { kind: 'redmine', baseUrl, token, timeZone: 'UTC', resources: { task: { every } } },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops', events: ['task.*'], to: { http: { url, secret: SECRET } } }],
  });
}

const requestsOf = (embedded: Embedded) => embedded.sources.get('main')?.api.requests() ?? 0;

async function poll(embedded: Embedded): Promise<void> {
  const [config] = embedded.config.sources;
  if (config === undefined) return;
  const { failed } = await pollCycle(embedded, config, {});
  if (failed[0] !== undefined) throw new Error(`${failed[0].code}: ${failed[0].message}`);
}

/** All of them copies of one, modified long ago. */
async function fill(server: RedmineServer): Promise<string> {
  const { database, adminKey } = server;
  const project = await createProject(server, 'Alpha');
  const id = await createIssue(server, adminKey, { project_id: project, subject: 'Issue' });
  database.prepare("UPDATE issues SET updated_on = '2026-01-02 00:00:00', created_on = '2026-01-02 00:00:00'").run();
  const { id: _, ...row } = database.prepare('SELECT * FROM issues WHERE id = ?').get(Number(id)) ?? {};
  const columns = Object.keys(row);
  const sql = `INSERT INTO issues (${columns.join()}) VALUES (${columns.map((name) => `:${name}`).join()})`;
  const insert = database.prepare(sql);
  database.exec('BEGIN');
  for (let number = 2; number <= ISSUES; number++) insert.run(row);
  database.exec('UPDATE issues SET root_id = id');
  database.exec('COMMIT');
  return id;
}

/** An edit with its journal, as Redmine writes them. */
function editAt({ database }: RedmineServer, id: number, instant: string): void {
  const at = instant.slice(0, 19).replace('T', ' ');
  const { subject } = database.prepare('SELECT subject FROM issues WHERE id = ?').get(id) ?? {};
  database.prepare('UPDATE issues SET subject = ?, updated_on = ? WHERE id = ?').run(`Edited ${at}`, at, id);
  const { lastInsertRowid } = database
    .prepare(
      "INSERT INTO journals (journalized_id, journalized_type, user_id, notes, created_on) VALUES (?, 'Issue', 1, '', ?)",
    )
    .run(id, at);
  database
    .prepare(
      "INSERT INTO journal_details (journal_id, property, prop_key, old_value, value) VALUES (?, 'attr', 'subject', ?, ?)",
    )
    .run(lastInsertRowid, String(subject), `Edited ${at}`);
}

/** Passes everything on, with another date. */
async function startProxy({ url }: RedmineServer, now: () => string) {
  const proxy = createServer((incoming, response) => {
    const { url: path, method, headers } = incoming;
    const passed = forward(new URL(path ?? '/', url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, date: new Date(now()).toUTCString() });
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close: () => proxy.close() };
}
