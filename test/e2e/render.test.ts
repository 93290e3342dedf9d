/** `tidings render`, as a user runs it, for examples and for a recorded event. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { event, NOON, SECRET } from '../samples.ts';

let folder: string;
const render = (...argv: string[]) =>
  runCommandAt(NOON, ['render', '--config', join(folder, 'tidings.yaml'), '--data', join(folder, 'data'), ...argv]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-render-'));
  const http = { url: 'https://ops.example.com/', secret: SECRET };
  const email = { to: ['a@example.com'] };
  const slack = { webhook: 'https://hooks.slack.com/services/x' };
  writeFileSync(
    join(folder, 'tidings.yaml'),
    stringify({
      source: { baseUrl: 'https://work.example.com/api', token: 'tok', timeZone: 'Europe/Berlin' },
      mail: { from: 't@example.com', smtp: 'smtp://localhost' },
      links: { task: 'https://work.example.com/t/{id}' },
      subscriptions: [
        { name: 'hook', events: ['invoice.paid'], to: { http }, template: { body: { sum: '{{ record.total }}' } } },
        { name: 'plain-hook', events: ['invoice.paid'], to: { http } },
        {
          name: 'chat',
          events: ['task.closed', 'task.overdue'],
          to: { slack },
          template: { text: '*{{ record.title }}* {{ time }} {{ link }}' },
        },
        { name: 'plain-chat', events: ['task.closed'], to: { slack } },
        {
          name: 'post',
          events: ['task.closed'],
          to: { email },
          template: { subject: 'Done: {{ record.title }}', html: '<h1>{{ line }}</h1>' },
        },
        { name: 'text-only', events: ['task.closed'], to: { email }, template: { text: '{{ line }}' } },
        { name: 'frail', events: ['task.closed'], to: { slack }, template: { text: '{{ record.status }}' } },
      ],
    }),
  );
  const database = openData(join(folder, 'data'));
  await sqliteStores(database).events.record([{ event: event('7'), deliveries: [] }]);
  database.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('tidings render', () => {
  it('shows the message of each event type of the subscription', async () => {
    const { code, stdout } = await render('--subscription', 'chat');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^task\.closed {2}evt_\w+\n\*Proofread the newsletter\* 14 Nov 2026, 00:00 Europe\/Berlin https:\/\/work\.example\.com\/t\/412\n\ntask\.overdue {2}evt_/,
    );
    expect((await render('-s', 'chat', '--type', 'task.over*')).stdout).toMatch(/^task\.overdue[^\n]*\n\*[^\n]*\n$/);
  });

  it('shows an HTTP body, templated or default', async () => {
    expect((await render('-s', 'hook')).stdout).toMatch(/^invoice\.paid {2}evt_\w+\n\{\n {2}"sum": 1200.5\n\}\n$/);
    expect((await render('-s', 'plain-hook')).stdout).toContain('"specversion": "1.0"');
    expect((await render('-s', 'plain-chat')).stdout).toContain('Task “Proofread the newsletter” was closed');
  });

  it('adds --aws to suggested commands when it runs on a stack', async () => {
    const file = join(folder, 'aws.yaml');
    const slack = { webhook: 'ssm:/tidings/hook' };
    const watch = { name: 'watch', events: ['subscription.failing'], to: { slack } };
    const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
    writeFileSync(file, stringify({ source, subscriptions: [watch] }));
    const { code, stdout } = await runCommandAt(NOON, [
      'render',
      '-s',
      'watch',
      '--config',
      file,
      '--aws',
      'News',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/`tidings deliveries --subscription [\w-]+ --aws News` shows/);
  });

  it('shows subject and text of a mail, or its HTML', async () => {
    const mail = await render('-s', 'post');
    expect(mail.stdout).toContain(
      '\nSubject: Done: Proofread the newsletter\n\nTask “Proofread the newsletter” was closed',
    );
    expect((await render('-s', 'post', '--html')).stdout).toMatch(
      /\n<h1>Task “Proofread the newsletter” was closed .*<\/h1>\n$/,
    );
    expect((await render('-s', 'text-only', '--html')).stdout).toContain('no HTML: the email is plain text');
  });

  it('lists the parts that the template renders in JSON', async () => {
    const { stdout } = await render('-s', 'post', '--json');
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({
        channel: 'email',
        type: 'task.closed',
        byTemplate: ['subject', 'html'],
        problem: null,
      }),
    ]);
  });

  it('shows the messages of a channel without a subscription or a config', async () => {
    const { code, stdout } = await runCommandAt(NOON, [
      ...['render', '--channel', 'slack', '--type', 'task.overdue', '--config', join(folder, 'none.yaml')],
    ]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Task “Proofread the newsletter”')]);
  });

  it('shows the messages of a subscription as another channel would send them, without its template', async () => {
    const { code, stdout } = await render('-s', 'chat', '--channel', 'email', '--type', 'task.closed');
    expect([code, stdout]).toEqual([0, expect.stringContaining('\nSubject: ')]);
    expect((await render('-s', 'chat', '--channel', 'slack', '--type', 'task.closed')).stdout).toContain('*Proofread');
  });

  it('asks for a subscription or a channel', async () => {
    expect(await render()).toMatchObject({ code: 2, stderr: expect.stringContaining('--channel <name>') });
    expect(await render('--channel', 'pigeon')).toMatchObject({ code: 2 });
  });

  it('shows a recorded event, and reports a template that fails for it', async () => {
    const { code, stdout } = await render('-s', 'chat', '--event', 'evt_7');
    expect([code, stdout]).toEqual([
      0,
      'task.closed  evt_7\n*Task 7* 14 Nov 2026, 13:00 Europe/Berlin https://work.example.com/t/7\n',
    ]);
    const frail = await render('-s', 'frail', '--event', 'evt_7');
    expect(frail.code).toBe(1);
    expect(frail.stdout).toContain('Task “Task 7” was closed');
    expect(frail.stderr).toBe(
      'task.closed: template.text: expected some output, got an empty text; the default message is sent instead\n',
    );
  });

  it('rejects unknown subscriptions and events', async () => {
    expect(await render('-s', 'missing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(hook, plain-hook, chat'),
    });
    expect(await render('-s', 'chat', '--type', 'invoice.*')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('task.closed, task.overdue'),
    });
    expect(await render('-s', 'chat', '--event', 'evt_0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("event 'evt_0' not found; list events with: tidings events"),
    });
    expect(await render('-s', 'chat', '--event', 'evt_7', '--type', '*')).toMatchObject({ code: 2 });
  });
});
