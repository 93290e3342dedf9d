/** From an API key of a real Redmine to a signed webhook, a digest in chat and one by mail, as docs/redmine.md describes it. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { runCommand } from '../cli/run-command.ts';
import { startReceiver } from '../e2e/receiver.ts';
import { SECRET } from '../samples.ts';
import { createIssue, createPerson, createProject, editIssue, type Person } from './people.ts';
import { type RedmineServer, startRedmine } from './server.ts';

let server: RedmineServer;
let folder: string;
let project: number;
let ann: Person;

beforeAll(async () => {
  server = await startRedmine();
  folder = mkdtempSync(join(tmpdir(), 'tidings-redmine-setup-'));
  project = await createProject(server, 'Alpha');
  ann = await createPerson(server, 'Ann', [project]);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const dayIn = (days: number) => new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10);

/** An HTTP server, with the bodies that it got. */
async function listen(answer: Parameters<typeof createServer>[1]) {
  const started = createServer(answer);
  await new Promise<void>((listening) => started.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  return { url, close: () => started.close() };
}

let setups = 0;
const init = async (url: string, token: string, ...more: string[]) => {
  setups += 1;
  const files = ['--config', join(folder, `${setups}/tidings.yaml`), '--data', join(folder, `${setups}/data`)];
  mkdirSync(join(folder, String(setups)));
  const made = await runCommand(['init', '--url', url, '--token', token, ...files, ...more]);
  return { ...made, files, output: made.stdout + made.stderr, folder: join(folder, String(setups)) };
};

describe('a change in Redmine', () => {
  it('becomes a signed webhook, and a line of the digest in chat and by mail', async () => {
    const old = await createIssue(server, ann.key, { project_id: project, subject: 'Known before' });
    const receiver = await startReceiver(SECRET);
    const posts: string[] = [];
    const chat = await listen(async (request, response) => {
      posts.push(await text(request));
      response.end('ok');
    });
    const mailbox = await startMailbox();
    const receivers = [receiver.url, `slack:${chat.url}/hook`, 'team@example.com'].flatMap((one) => ['-r', one]);
    const made = await init(server.url, server.adminKey, '--zone', 'UTC', ...receivers, '--smtp', mailbox.smtpUrl);
    expect(made.code, made.output).toBe(0);
    expect(made.stdout).toContain(`found Redmine at ${server.url}`);
    // The receiver knows its secret already, and nobody waits until tomorrow morning.
    const edit = (name: string, from: RegExp, to: string) => {
      const before = readFileSync(join(made.folder, name), 'utf8');
      expect(before).toMatch(from);
      writeFileSync(join(made.folder, name), before.replaceAll(from, to));
    };
    edit('.env', /WEBHOOK_SECRET=.*/g, `WEBHOOK_SECRET=${SECRET}`);
    const digestAt = new Date(Date.now() + 20 * MINUTE).toISOString().slice(11, 16);
    edit('tidings.yaml', /timeZone: UTC/g, 'timeZone: UTC\n  resources: { task: { every: 1s } }');
    edit('tidings.yaml', /at: "08:30", days: .*\]/g, `at: "${digestAt}"`);
    let offset = 0;
    const clock = { now: () => new Date(Date.now() + offset).toISOString() };
    const once = async (after: number) => {
      offset += after;
      const ran = await runCommand(['once', ...made.files], { clock });
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0 });
    };
    await once(0);
    expect(receiver.events.filter(({ type }) => !type.startsWith('source.'))).toEqual([]);

    const late = await createIssue(server, ann.key, { project_id: project, subject: 'Late', due_date: dayIn(-3) });
    const soon = await createIssue(server, ann.key, { project_id: project, subject: 'Soon', due_date: dayIn(1) });
    await editIssue(server, server.adminKey, old, { status_id: 5, notes: 'Done.' });
    await sleep(1100);
    // A signature holds for five minutes: until the digest, our clock is that of the receiver.
    await once(0);
    const lines = receiver.events.map(({ type, subject, data }) => `${type} ${subject} ${data.by?.name}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        `task.created task/${late} Ann Vogt`,
        `task.created task/${soon} Ann Vogt`,
        `task.closed task/${old} Redmine Admin`,
        expect.stringContaining(`task.overdue task/${late}`),
        expect.stringContaining(`task.due_soon task/${soon}`),
      ]),
    );
    expect(receiver.refused).toEqual([]);
    expect(posts).toEqual([]);
    await once(22 * MINUTE);
    expect(posts).toHaveLength(1);
    for (const part of ['Late', 'Soon', `${server.url}/issues/${late}`]) expect(posts[0]).toContain(part);
    expect(mailbox.mails).toHaveLength(1);
    const [mail] = mailbox.mails;
    for (const part of ['Late', 'Soon', `${server.url}/issues/${soon}`]) expect(mail?.parsed.text).toContain(part);
    await Promise.all([receiver.close(), chat.close(), mailbox.close()]);
  });
});

describe('tidings init', () => {
  it('finds Redmine in a folder, behind a redirect, and from the address of one of its pages', async () => {
    const { port } = new URL(server.url);
    const proxy = await listen((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/old')) {
        response.writeHead(301, { location: path.replace('/old', '/redmine') }).end();
        return;
      }
      if (!path.startsWith('/redmine/')) {
        response.writeHead(404).end('<h1>Not found</h1>');
        return;
      }
      const { method, headers } = request;
      const passed = forward({ port, path: path.slice('/redmine'.length), method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    const found = async (url: string) => {
      const { code, stdout } = await init(url, server.adminKey);
      expect(code, stdout).toBe(0);
      return /found Redmine at (\S+)/.exec(stdout)?.[1];
    };
    expect(await found(`${proxy.url}/redmine`)).toBe(`${proxy.url}/redmine`);
    expect(await found(`${proxy.url}/redmine/`)).toBe(`${proxy.url}/redmine/`);
    expect(await found(`${proxy.url}/redmine/projects/alpha/issues`)).toBe(`${proxy.url}/redmine`);
    expect(await found(`${proxy.url}/old`)).toBe(`${proxy.url}/redmine`);
    expect(await found(`${server.url}/issues?set_filter=1`)).toBe(server.url);
    const outside = await init(proxy.url, server.adminKey);
    expect(outside).toMatchObject({ code: 1, output: expect.stringContaining('Check the URL') });
    proxy.close();
  });

  it('says what is wrong with a key, a URL, or the settings of Redmine', async () => {
    const token = 'f'.repeat(40);
    const wrong = await init(server.url, token);
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('Redmine does not accept the API key') });
    expect(wrong.output).not.toContain(token);
    const secure = await init(server.url.replace('http:', 'https:'), server.adminKey);
    expect(secure).toMatchObject({ code: 1, output: expect.stringContaining('does not speak https') });
    const closed = await init('http://127.0.0.1:9', server.adminKey);
    expect(closed).toMatchObject({ code: 1, output: expect.stringContaining('ECONNREFUSED') });
    const plain = await init('http://redmine.invalid', server.adminKey);
    expect(plain).toMatchObject({ code: 2, output: expect.stringContaining('expected an https URL') });
    const setRest = (value: string) =>
      server.database
        .prepare("UPDATE settings SET value = ?, updated_on = datetime('now', ?) WHERE name = 'rest_api_enabled'")
        .run(value, `+${value} hours`);
    setRest('0');
    const off = await init(server.url, server.adminKey);
    setRest('1');
    expect(off.stdout).toContain('found Redmine');
    expect(off).toMatchObject({ code: 1, output: expect.stringContaining('that the REST API is enabled') });
  });
});
