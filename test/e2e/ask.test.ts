/** `preview`, `explain` and `backtest`, as a user runs them. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** The week in which Berlin's clocks go forward. */
const FIRST = '2027-03-24T08:00:00.000Z';
const SECOND = '2027-03-24T09:00:00.000Z';

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
let config: string;
let data: string;
/** Open tasks: the test closes one, one is due when the clocks change, and the project of one is renamed. */
let [closed, due, renamed] = ['', '', ''];

const off = ['project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
/** After the second scan, before the next is due. */
const NOW = '2027-03-24T09:04:00.000Z';

const run = (...argv: string[]) => runCommandAt(NOW, [...argv, '--data', data]);
const ask = (...argv: string[]) => run(...argv, '--config', config);
const onceAt = (at: string, ...argv: string[]) => ask('once', '--at', at, ...argv);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-ask-'));
  simulator = await startSimulator({ tasks: 60, now: FIRST, speed: 0 });
  receiver = await startReceiver(SECRET);
  [config, data] = [join(folder, 'tidings.yaml'), join(folder, 'data')];
  const to = { http: { url: receiver.url, secret: SECRET } };
  const resources = Object.fromEntries(off.map((name) => [name, 'off']));
  writeFileSync(
    config,
    stringify({
      source: {
        baseUrl: simulator.url,
        token: simulator.tokens.Administrator[0],
        timeZone: 'Europe/Berlin',
        resources,
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [
        { name: 'ops', events: ['task.closed', 'task.overdue'], to },
        { name: 'one', events: ['task.*'], where: { data: { record: { title: ['Call the printer'] } } }, to },
      ],
    }),
  );
  const open = simulator.account.list('task', { excludeclosed: 't' });
  [closed = '', due = ''] = open.map(({ id }) => String(id));
  simulator.account.update('task', due, { datedue: '2027-03-28', title: 'Call the printer' });
  const project = String(open[0]?.projectid);
  renamed = String(
    open.find(({ id, projectid }) => ![closed, due].includes(String(id)) && String(projectid) === project)?.id,
  );
  await onceAt(FIRST);
  simulator.account.update('task', closed, { statusid: 7 });
  simulator.account.update('project', project, { name: 'Another name' });
  await onceAt(SECOND, '--sweep');
});

afterAll(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('tidings preview', () => {
  const preview = (...argv: string[]) => ask('preview', ...argv);

  it('lists events and their receivers by day of the account, including a day of 23 hours', async () => {
    const { code, stdout } = await preview('--until', '6d');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\d+ time-driven events if no record changes: Wed 24 Mar 2027 10:04 to Tue 30 Mar 2027 11:04 \(Europe\/Berlin\)\n/,
    );
    const [, sunday = ''] = stdout.split('Sat 27 Mar 2027');
    expect(sunday).toMatch(
      new RegExp(`00:00 +task\\.due_soon +task/${due} +→ one +Task “Call the printer” is due Sun 28 Mar( 2027)?`),
    );
    const [, monday = ''] = stdout.split('Mon 29 Mar 2027');
    expect(monday).toMatch(
      new RegExp(
        `00:00 +task\\.overdue +task/${due} +→ one, ops +Task “Call the printer” has been overdue since Mon 29 Mar( 2027)?`,
      ),
    );
    expect(stdout).toMatch(/\nby type {2}\d+ task\./);
    expect(stdout).toMatch(/\nsent to {2}.*\d+ ops.* to no one\n$/);
  });

  it('prints stable JSON, omits empty days, and accepts an instant as the end', async () => {
    const { stdout } = await preview('--until', '2027-03-28T22:00:00Z', '--json');
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      at: '2027-03-24T09:04:00.000Z',
      until: '2027-03-28T22:00:00.000Z',
      zones: { main: 'Europe/Berlin' },
      unsettled: [],
    });
    const days: { day: string; events: { at: string; to: string[]; event: TidingsEvent }[] }[] = result.days;
    expect(days.every(({ events }) => events.length > 0)).toBe(true);
    expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
    const last = days.find(({ day }) => day === '2027-03-29');
    expect(last?.events.find(({ event }) => event.subject === `task/${due}`)).toMatchObject({
      at: '2027-03-28T22:00:00.000Z',
      to: ['one', 'ops'],
      event: { type: 'task.overdue', data: { cause: 'tick' } },
    });
    expect(result.counts.events).toBe(days.flatMap(({ events }) => events).length);
  });

  it('lists the digests ahead with their times and numbers', async () => {
    const withDigest = join(folder, 'digest.yaml');
    const to = { slack: { webhook: 'https://hooks.example.com/services/T0/B0/x' } };
    const morning = { name: 'morning', events: ['task.overdue'], digest: { at: '08:30' }, to };
    const declared = parse(readFileSync(config, 'utf8'));
    writeFileSync(withDigest, stringify({ ...declared, subscriptions: [...declared.subscriptions, morning] }));
    const { stdout } = await run('preview', '--config', withDigest, '--until', '1d');
    expect(stdout).toMatch(
      /Messages for people {2}1 message\n {2}Thu 25 Mar 2027 08:30 {2}morning {2}\d+ tasks overdue/,
    );
    const { messages } = JSON.parse((await run('preview', '--config', withDigest, '--until', '1d', '--json')).stdout);
    expect(messages).toContainEqual(
      expect.objectContaining({ subscription: 'morning', at: '2027-03-25T07:30:00.000Z', kind: 'digest' }),
    );
  });

  it('starts at --at, and reports when no events are ahead', async () => {
    const { stdout } = await ask('preview', '--at', '2027-03-28T12:00:00Z', '--until', '12h', '--json');
    expect(JSON.parse(stdout).days.map(({ day }: { day: string }) => day)).toEqual(['2027-03-29']);
    const none = await preview('--until', '1m');
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^no time-driven events: /),
    });
  });

  it('changes nothing and sends nothing', async () => {
    const sent = receiver.events.length;
    const events = (await run('events', '--json')).stdout;
    const first = await preview('--until', '90d', '--json');
    expect((await preview('--until', '90d', '--json')).stdout).toBe(first.stdout);
    expect((await run('events', '--json')).stdout).toBe(events);
    expect(receiver.events).toHaveLength(sent);
  });

  it('reports that the rules have changed since the last poll', async () => {
    const other = join(folder, 'other.json');
    const stricter = { source: { baseUrl: simulator.url, token: 'x', timeZone: 'Asia/Tokyo' } };
    writeFileSync(other, JSON.stringify(stricter));
    const { code, stderr } = await run('preview', '--config', other);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('main: the time zone or rules have changed'),
    });
  });

  it.each<[string, string[], RegExp]>([
    ['an end before the start', ['--until', '2020-01-01T00:00:00Z'], /--until: expected a time after 2027-03-24T09:04/],
    ['an invalid end', ['--until', 'soon'], /Expected a timestamp such as .*, or a duration such as '14d'/],
    ['a start without an offset', ['--at', '2027-03-24'], /Expected a timestamp with its offset/],
  ])('rejects %s', async (_, argv, message) => {
    expect(await preview(...argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});

describe('tidings explain', () => {
  it('explains a record: baseline, changes, rules, matching subscriptions or why not, attempts', async () => {
    const { code, stdout } = await ask('explain', `task/${closed}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Task “.*” {2}task/${closed} of main, times in Europe/Berlin\n`));
    expect(stdout).toMatch(/now +version 2, closed\n/);
    expect(stdout).toMatch(
      /scanned +Wed 24 Mar 2027 10:00, 4 min ago, next scan in 1 min \(changes every 5 min, all records every 6 h\)\n/,
    );
    expect(stdout).toMatch(
      /version 1 {2}Wed 24 Mar 2027 09:00 {2}baseline\n {2}no event {2}it existed at the baseline/,
    );
    expect(stdout).toMatch(
      /version 2 {2}Wed 24 Mar 2027 10:00 {2}found by a poll; changed after Wed 24 Mar 2027 09:00/,
    );
    expect(stdout).toMatch(/changed +statusid +“[^”]+” → “Closed”\n/);
    expect(stdout).toMatch(/stage +closed +false → true\n/);
    expect(stdout).toMatch(
      /● task\.closed {2}Task “.*” was closed .*evt_[0-9a-f]{32}\n +rule {2}Fires when a task gets a closing date/,
    );
    expect(stdout).toMatch(
      /– {2}one {2}where does not match: data\.record\.title: expected 'Call the printer', got '.*'\n/,
    );
    // The receiver rejects the signature because it is dated in the future.
    expect(stdout).toMatch(/… {2}ops {2}due now; 1 attempt so far, last Wed 24 Mar 2027 10:00: 401 from .*\n/);
    expect(stdout).toMatch(/– {2}ops {2}other event types: task\.closed, task\.overdue\n/);
  });

  it('explains why a change caused no event: only a name changed', async () => {
    const { stdout } = await ask('explain', `task/${renamed}`);
    expect(stdout).toMatch(
      /other {2}project {2}“.*” → “Another name”\n {2}no event {2}only names of other records changed \(project\)/,
    );
  });

  it('lists the time-driven events ahead of an unchanged record', async () => {
    const { stdout } = await ask('explain', `main/task/${due}`);
    expect(stdout).toMatch(
      /next +Sat 27 Mar 2027 00:00 {2}task\.due_soon, if nothing changes\n +Mon 29 Mar 2027 00:00 {2}task\.overdue/,
    );
  });

  it('explains only the transition of an event given by id', async () => {
    const event: TidingsEvent = JSON.parse((await run('events', '--type', 'task.closed', '--json')).stdout);
    const { stdout } = await ask('explain', event.id);
    expect(stdout).toContain(`▶ task.closed`);
    expect(stdout).not.toContain('version 1  ');
    const [record] = JSON.parse((await ask('explain', event.id, '--json')).stdout).records;
    expect(record).toMatchObject({
      source: 'main',
      resource: 'task',
      id: closed,
      asked: event.id,
      reading: { state: 'on', lastLookedAt: SECOND },
      transitions: [{ version: 2, silence: null, events: [{ event, recorded: true }, {}, {}] }],
    });
    expect(JSON.stringify(record)).not.toContain(SECRET);
  });

  it('explains why a record was never seen', async () => {
    const now = async (subject: string) => (await ask('explain', subject)).stdout;
    expect(await now('task/99999')).toMatch(/now +never seen: no scan found it/);
    expect(await now('project/1')).toMatch(/now +never seen: project is off in the config/);
  });

  it.each<[string, RegExp]>([
    ['12', /expected a record such as task\/123, or the id of an event such as evt_5f2c…, got '12'/],
    ['tusk/12', /expected a resource of the API, such as task or invoice/],
    ['task/twelve', /expected a number after the resource/],
    ['elsewhere/task/12', /expected a record of one of the sources main/],
    ['evt_0123', /event 'evt_0123' not found; list events with: tidings events/],
  ])('rejects %s', async (subject, message) => {
    expect(await ask('explain', subject)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

describe('tidings backtest', () => {
  const backtest = (subscription: object, ...argv: string[]) => {
    const file = join(folder, 'subscription.yaml');
    writeFileSync(file, stringify(subscription));
    return run('backtest', '--subscription', file, ...argv);
  };
  const period = ['--since', FIRST, '--until', '2027-03-25T00:00:00Z'];

  it('lists the recorded events it would have received, by type and day, and sends nothing', async () => {
    const sent = receiver.events.length;
    const { code, stdout } = await backtest({ name: 'new', events: ['task.*'] }, ...period);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^2027-03-24 10:00 {2}task\\.closed +task/${closed} {2}Task “`));
    expect(stdout).toMatch(/\nnew would have received 3 of 4 recorded events; nothing was sent\n/);
    expect(stdout).toMatch(
      /\nby type {2}1 task\.closed, 1 task\.status_changed, 1 task\.updated\nby day {3}Wed 24 Mar 2027: 3\n$/,
    );
    expect(receiver.events).toHaveLength(sent);
  });

  it('applies where, and prints stable JSON', async () => {
    const where = { data: { record: { id: [closed] } } };
    const { stdout } = await backtest({ name: 'new', events: ['task.closed'], where }, ...period, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      subscription: 'new',
      since: FIRST,
      until: '2027-03-25T00:00:00.000Z',
      recorded: 4,
      received: 1,
      byType: { 'task.closed': 1 },
      byDay: { '2027-03-24': 1 },
      events: [{ type: 'task.closed', subject: `task/${closed}` }],
    });
    const none = await backtest({ name: 'new', events: ['invoice.paid'] }, ...period);
    expect(none).toMatchObject({
      code: 0,
      stdout: 'new would have received 0 of 4 recorded events; nothing was sent\n',
    });
  });

  it('takes a query instead of a file', async () => {
    const query = `task.closed id:${closed} -status:Staged`;
    const { code, stdout } = await run('backtest', '--query', query, ...period);
    expect(code).toBe(0);
    expect(stdout).toContain(`${query} would have received 1 of 4 recorded events; nothing was sent`);
    const other = await run('backtest', '--query', `task.closed id:${closed} due<2020-01-01`, ...period);
    expect(other.stdout).toContain('would have received 0 of 4');
    expect(await run('backtest', '--query', 'task.close', ...period)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--query: no event type is called task.close: did you mean task.closed?'),
    });
    const both = await run('backtest', '--query', query, '--subscription', 'x.yaml', ...period);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('either --subscription FILE or --query') });
  });

  it('rejects a file with the message of the config check, and a reversed period', async () => {
    const wrong = await backtest({ name: 'new', events: ['task.vanished'] }, ...period);
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/events\[0\]: expected an event type/),
    });
    const backwards = await backtest({ name: 'new', events: ['task.*'] }, '--since', SECOND, '--until', FIRST);
    expect(backwards).toMatchObject({ code: 2, stderr: expect.stringContaining('--until: expected a time after') });
    expect(await run('backtest', '--since', '1d')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--subscription'),
    });
  });
});

describe('a forecast', () => {
  it('has the ids and data of the events that follow', async () => {
    const until = '2027-03-31T08:00:00Z';
    const { stdout } = await tidings([
      'preview',
      '--config',
      config,
      '--data',
      data,
      '--at',
      NOW,
      '--until',
      until,
      '--json',
    ]);
    type Days = { events: { event: TidingsEvent }[] }[];
    const forecast = (JSON.parse(stdout).days as Days).flatMap(({ events }) => events.map(({ event }) => event));
    const actual: TidingsEvent[] = JSON.parse((await onceAt(until, '--json')).stdout).events;
    const comparable = (events: readonly TidingsEvent[]) =>
      events
        .filter(({ subject }) => !/^(source|subscription)\//.test(subject))
        .map(({ id, data }) => ({ id, data }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(forecast.length).toBeGreaterThan(5);
    expect(comparable(forecast)).toEqual(comparable(actual));
  });
});
