/** The values that a config names, compared with a simulated account. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WorkApi, workApi } from '../../../adapters/sources/work/client.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openAccountValues } from '../../../runtime/inspect/account-values.ts';
import { findUnknownValues, measureReach } from '../../../runtime/inspect/check-values.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { event, NOON, SECRET, snapshot } from '../../samples.ts';

let simulator: Simulator;
let api: WorkApi;

beforeAll(async () => {
  simulator = await startSimulator({ seed: 7, tasks: 60, now: NOON, speed: 0 });
  api = workApi({
    baseUrl: simulator.url,
    token: simulator.tokens.Administrator[0] ?? '',
    perMinute: 1000,
    random: () => 0.5,
  });
});
afterAll(async () => {
  await api.close();
  await simulator.stop();
});

const HTTP = { http: { url: 'https://ops.example.com/in', secret: SECRET } };

function configOf(where: object, change: object = {}) {
  return parseTree(
    'tidings.yaml',
    {
      source: { baseUrl: simulator.url, token: 'x' },
      subscriptions: [{ name: 'ops', events: ['task.*'], where, to: HTTP }],
      ...change,
    },
    {},
  );
}

/** Nothing is stored, so the values come from the API. */
const newAccount = () => {
  const stores = sqliteStores(openDatabase(':memory:'));
  return { stores, account: openAccountValues({ api, snapshots: stores.snapshots }, 'main') };
};

const unknown = async (config: ReturnType<typeof configOf>) =>
  (await findUnknownValues(config, [newAccount().account])).map(({ path, message }) => `${path}: ${message}`);

const record = (fields: object) => ({ data: { record: fields } });
const projects = () => simulator.account.list('project', {});

describe('a value that the account does not have', () => {
  it('is reported with the nearest one', async () => {
    const name = String(projects()[0]?.name);
    const where = record({ project: [name.toUpperCase(), name] });
    expect(await unknown(configOf(where))).toEqual([
      `subscriptions[0].where.data.record.project: no project '${name.toUpperCase()}' among ${projects().length}; did you mean '${name}'?`,
    ]);
  });

  it.each<readonly [object, RegExp]>([
    [{ projectid: ['999'] }, /projectid: no project with id '999' among \d+$/],
    [{ assigneeid: ['77777'] }, /assigneeid: no person with id '77777' among \d+$/],
    [{ assignees: ['Nadja Oduya'] }, /assignees: no person 'Nadja Oduya' among \d+; did you mean 'Nadia Oduya'\?$/],
    [{ status: ['Colsed'] }, /status: no task status 'Colsed' among 7; did you mean 'Closed'\?$/],
    [{ statusid: ['70'] }, /statusid: no task status with id '70' among 7$/],
    [{ client: ['Acme'] }, /client: no client 'Acme' among \d+$/],
  ])('such as %j', async (fields, expected) => {
    expect(await unknown(configOf(record(fields)))).toEqual([expect.stringMatching(expected)]);
  });

  it('is reported for closed statuses, custom event types and mentions too', async () => {
    const config = configOf(
      {},
      {
        rules: { closedStatuses: ['Closed', 'Dnoe', 'Verify & Close'] },
        customEvents: [{ type: 'task.review', meaning: 'R', when: { after: { status: ['In client reveiw'] } } }],
        subscriptions: [
          {
            name: 'team',
            events: ['task.*'],
            to: { slack: { token: 'x', channel: '#a', mentions: { 'nadia oduya': 'U012345', Nobody: 'U012346' } } },
          },
        ],
      },
    );
    expect(await unknown(config)).toEqual([
      "rules.closedStatuses[1]: no task status 'Dnoe' among 7",
      "customEvents[0].when.after.status: no task status 'In client reveiw' among 7; did you mean 'In Client Review'?",
      expect.stringMatching(/^subscriptions\[0\]\.to\.slack\.mentions\.Nobody: no person 'Nobody' among \d+$/),
    ]);
  });
});

describe('a name in mentions', () => {
  it('is reported if several active people have it, because it mentions none of them', async () => {
    const { stores, account } = newAccount();
    const person = (id: string, change: object) =>
      snapshot(id, {
        key: { source: 'main', resource: 'person', id },
        record: { id, firstname: 'Ann', lastname: 'Vogt', email: `${id}@example.com`, active: true, ...change },
      });
    const people = [person('5', {}), person('6', {}), person('7', { firstname: 'Ben' })];
    const gone = [person('8', { firstname: 'Ben', active: false })];
    await stores.snapshots.commit([...people, ...gone].map((one) => ({ snapshot: one, expected: 0 })));
    const mentions = { 'ann vogt': 'U012345', '6@example.com': 'U012346', 'Ben Vogt': 'U012347' };
    const to = { slack: { token: 'x', channel: '#a', mentions } };
    const config = configOf({}, { subscriptions: [{ name: 'team', events: ['task.*'], to }] });
    expect(await findUnknownValues(config, [account])).toEqual([
      {
        path: 'subscriptions[0].to.slack.mentions.ann vogt',
        message: "2 people are named 'ann vogt'; use the mail address",
      },
    ]);
  });
});

describe('a value that may exist', () => {
  it.each<readonly [object]>([
    [{ title: ['Anything'] }],
    [{ status: ['Closed', { prefix: 'In ' }] }],
    [{ project: [{ 'anything-but': 'Nothing' }] }],
  ])('is not reported: %j', async (fields) => expect(await unknown(configOf(record(fields)))).toEqual([]));

  it('is not reported when the token may not list the values', async () => {
    const forbidden = { ...api, list: async () => Promise.reject(new Error('403')) };
    const { stores } = newAccount();
    const account = openAccountValues({ api: forbidden, snapshots: stores.snapshots }, 'main');
    expect(await findUnknownValues(configOf(record({ project: ['Nothing'] })), [account])).toEqual([]);
  });
});

describe('what a subscription would have got in the last 30 days', () => {
  it('counts the changed records that its filter selects, and the recorded events', async () => {
    const { stores, account } = newAccount();
    await stores.events.record([{ event: event('1', { time: NOON }), deliveries: [] }]);
    const where = record({ status: ['Closed'], $or: [{ severity: ['P1'] }, { severity: ['P2'] }] });
    const config = configOf({ ...where, type: [{ prefix: 'task.' }] });
    const [subscription] = config.subscriptions;
    if (subscription === undefined) throw new Error('no subscription');
    const reach = await measureReach(subscription, config, stores.events, [account], NOON);
    const since = '2026-10-15';
    const recent = simulator.account.list('task', {}).filter((task) => String(task.datemodified) >= since);
    const matching = recent.filter(
      ({ status, severity }) => status === 'Closed' && ['P1', 'P2'].includes(String(severity)),
    );
    expect(reach.records).toEqual({ matching: matching.length, changed: recent.length });
    expect(matching.length).toBeGreaterThan(0);
    expect(reach.events.recorded).toBe(1);
  });

  it('has no count of records without a filter on records', async () => {
    const { stores, account } = newAccount();
    const config = configOf({ type: ['task.closed'] });
    const [subscription] = config.subscriptions;
    if (subscription === undefined) throw new Error('no subscription');
    expect((await measureReach(subscription, config, stores.events, [account], NOON)).records).toBeNull();
  });
});
