import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialScanState } from '../../../core/model/scan.ts';
import { forecastRequests } from '../../../core/source/plan.ts';
import { costConfigOf, defaultCostConfig } from '../../../runtime/cost/config.ts';
import { changeUnits, type Estimate, estimate, naiveCosts, pollingUnits, totalOf } from '../../../runtime/cost/cost.ts';
import { ASSUMED, DEPLOYED, MEASURED_UNITS } from '../../../runtime/cost/measured.ts';
import { dollarsFor, PRICES, type Price, type PriceName } from '../../../runtime/cost/prices.ts';
import { type Account, workloadOf as workloadOfConfig } from '../../../runtime/cost/workload.ts';
import { SECRET } from '../../samples.ts';

const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
const configOf = (more: object = {}, ofSource: object = {}) =>
  costConfigOf('test.yaml', { source: { ...source, ...ofSource }, ...more }, {});
const standard = defaultCostConfig();
const workloadOf = ({ config }: typeof standard, account: Account) => workloadOfConfig(config, account);

const OFF = Object.fromEntries(
  ['task', 'invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
    name,
    'off',
  ]),
);
/** A config that reads this one resource. */
const only = (resource: string, cadence: object) => configOf({}, { resources: { ...OFF, [resource]: cadence } });

const usual: Account = {
  records: { task: 10_000, invoice: 2000, project: 500, person: 100 },
  others: 500,
  changesADay: 1000,
  deliveriesPerEvent: 1,
};

const mailTo = (to: readonly string[], more: object = {}) => ({
  name: 'team',
  events: ['task.*'],
  to: { email: { to } },
  ...more,
});
const hook = { name: 'ops', events: ['task.*'], to: { http: { url: 'https://ops.example.com/hook', secret: SECRET } } };
const mail = { from: 'Tidings <tidings@example.com>', smtp: 'smtp://localhost:587' };

const quantityOf = ({ lines }: Estimate, component: string): number => {
  const found = lines.find((line) => line.component === component);
  if (found === undefined) throw new Error(`no line ${component}`);
  return found.quantity;
};

const accounts = fc.record({
  records: fc.record({
    task: fc.nat(2_000_000),
    invoice: fc.nat(200_000),
    project: fc.nat(20_000),
    person: fc.nat(20_000),
  }),
  others: fc.nat(100_000),
  changesADay: fc.nat(2_000_000),
  deliveriesPerEvent: fc.double({ min: 0, max: 50, noNaN: true }),
});
const configs = fc.constantFrom(
  standard,
  only('task', { every: '1m', sweep: '1h' }),
  only('invoice', { every: '5m', sweep: '1d' }),
  configOf({ mail, subscriptions: [hook, mailTo(['a@example.com', 'b@example.com'])] }, { attribution: true }),
);

/** Rounding of sums is no saving. */
const atLeast = (more: number, less: number) => expect(more).toBeGreaterThanOrEqual(less - 1e-9 * Math.abs(less));

describe('an estimate', () => {
  it('has a total that is the sum of its lines, each of them its quantity at its price', () => {
    fc.assert(
      fc.property(configs, accounts, (config, account) => {
        const { lines, total, standing } = estimate(config, account);
        expect(total).toBeCloseTo(
          lines.reduce((sum, { dollars }) => sum + dollars, 0),
          6,
        );
        for (const { price, quantity, dollars } of lines) {
          expect(Number.isFinite(quantity) && quantity >= 0).toBe(true);
          expect(dollars).toBeCloseTo((quantity * PRICES[price].dollars) / PRICES[price].per, 6);
        }
        atLeast(total, standing);
      }),
    );
  });

  it('never falls, in any line, when there are more records', () => {
    const resources = fc.constantFrom('task', 'invoice', 'project', 'person');
    fc.assert(
      fc.property(configs, accounts, resources, fc.nat(1_000_000), (config, account, resource, more) => {
        const records = { ...account.records, [resource]: (account.records[resource as 'task'] ?? 0) + more };
        const before = estimate(config, account);
        const after = estimate(config, { ...account, records });
        for (const [at, { dollars }] of after.lines.entries()) atLeast(dollars, before.lines[at]?.dollars ?? 0);
        atLeast(after.looking, before.looking);
      }),
    );
  });

  it('never falls, in any line, when more changes, or more people want to know', () => {
    const more = fc.record({ changes: fc.nat(1_000_000), deliveries: fc.double({ min: 0, max: 20, noNaN: true }) });
    fc.assert(
      fc.property(configs, accounts, more, (config, account, { changes, deliveries }) => {
        const before = estimate(config, account);
        const after = estimate(config, {
          ...account,
          changesADay: account.changesADay + changes,
          deliveriesPerEvent: account.deliveriesPerEvent + deliveries,
        });
        for (const [at, { dollars }] of after.lines.entries()) atLeast(dollars, before.lines[at]?.dollars ?? 0);
        expect(after.standing).toBe(before.standing);
      }),
    );
  });

  it('is polling alone where nothing changes, however many would have been told', () => {
    fc.assert(
      fc.property(configs, accounts, (config, account) => {
        const quiet = estimate(config, { ...account, changesADay: 0 });
        expect(quiet.total).toBe(quiet.standing);
        for (const component of ['DynamoDB stream', 'Lambda announce', 'Lambda deliver', 'SES'])
          expect(quantityOf(quiet, component)).toBe(0);
        const workload = workloadOf(config, { ...account, changesADay: 0 });
        expect(changeUnits(workload)).toEqual({ read: 0, write: 0 });
        const { read, write } = pollingUnits(workload);
        expect(quantityOf(quiet, 'DynamoDB reads')).toBe(read);
        expect(quantityOf(quiet, 'DynamoDB writes')).toBe(write);
      }),
    );
  });

  it('grows with how often is looked', () => {
    const often = estimate(only('task', { every: '1m', sweep: '1h' }), usual);
    const rarely = estimate(only('task', { every: '1h', sweep: '1d' }), usual);
    expect(often.looking).toBeGreaterThan(rarely.looking);
    expect(often.total).toBeGreaterThan(rarely.total);
  });
});

describe('the workload', () => {
  it('has the requests the planner foresees', () => {
    const { scans } = workloadOf(standard, usual);
    const [planned] = standard.config.sources;
    const forecast = forecastRequests(
      (planned?.resources ?? []).map((one) => ({
        ...one,
        state: {
          ...initialScanState('main', one.resource.name),
          count: usual.records[one.resource.name] ?? usual.others,
        },
      })),
    );
    expect(Math.ceil(scans.reduce((sum, { requests }) => sum + requests, 0))).toBe(forecast);
  });

  it('tells deltas, lists of what is open and sweeps apart', () => {
    const { scans, deltas, sweeps, sweptRecords, minutes } = workloadOf(standard, usual);
    expect(scans.find(({ resource }) => resource === 'task')).toMatchObject({ kind: 'delta', looks: 288, sweeps: 4 });
    expect(scans.find(({ resource }) => resource === 'invoice')).toMatchObject({ kind: 'open', looks: 96, sweeps: 4 });
    expect(scans.find(({ resource }) => resource === 'project')).toMatchObject({ kind: 'sweep', looks: 24, sweeps: 0 });
    expect(deltas).toBe(30 * 288);
    // Tasks 4, invoices 100, project, client, expense and document 24, person and projectmodule 4, group 1.
    expect(sweeps).toBe(30 * (4 + 100 + 4 * 24 + 2 * 4 + 1));
    expect(sweptRecords).toBe(30 * (4 * 10_000 + 100 * 2000 + 4 * 24 * 500 + 4 * 100 + 4 * 500 + 500));
    expect(minutes).toBe(43_200);
  });

  it('looks once a minute at the most, as AWS does, whatever the config asks for', () => {
    const minutely = workloadOf(only('task', { every: '1m', sweep: '1h' }), usual);
    const hasty = workloadOf(only('task', { every: '2s', sweep: '1h' }), usual);
    expect(minutely.scans).toMatchObject([{ looks: 1440, sweeps: 24, slowed: false }]);
    expect(hasty).toEqual({ ...minutely, scans: [{ ...minutely.scans[0], slowed: true }] });
  });

  it('sweeps once a minute at the most, and takes no notice of a sweep that nothing asks for', () => {
    const { scans } = workloadOf(only('invoice', { every: '1h', sweep: '1s' }), usual);
    expect(scans).toMatchObject([{ kind: 'open', looks: 24, sweeps: 1440, slowed: true }]);
    const project = workloadOf(only('project', { every: '1h', sweep: '1s' }), usual);
    expect(project.scans).toMatchObject([{ kind: 'sweep', looks: 24, sweeps: 0, slowed: false }]);
  });

  it('announces changes together that one scan finds, and alone those that are rarer than scans', () => {
    const task = only('task', { every: '1h', sweep: '1d' });
    const batches = (changesADay: number) => workloadOf(task, { ...usual, changesADay }).announceBatches / 30;
    expect(batches(10)).toBe(10);
    expect(batches(200)).toBe(25);
    expect(batches(100_000)).toBe(100_000 / DEPLOYED.streamBatch);
  });

  it('fills batches of the queue only when there is enough for them', () => {
    const task = only('task', { every: '1h', sweep: '1d' });
    const batches = (changesADay: number, deliveriesPerEvent: number) =>
      workloadOf(task, { ...usual, changesADay, deliveriesPerEvent }).deliverBatches / 30;
    expect(batches(10, 1)).toBe(10);
    expect(batches(10, 0.5)).toBe(5);
    expect(batches(1000, 3)).toBe(3000 / DEPLOYED.queueBatch);
  });

  it('meets a change again in the deltas that look back to it', () => {
    const rereads = (every: string) =>
      workloadOf(only('task', { every, sweep: '1d' }), usual).rereads / (30 * usual.changesADay);
    // Five minutes and a second.
    expect(rereads('1m')).toBe(6);
    expect(rereads('5m')).toBe(2);
    expect(rereads('1h')).toBe(1);
    expect(workloadOf(only('invoice', {}), usual).rereads).toBe(0);
  });

  it('counts each source by itself', () => {
    const two = costConfigOf('test.yaml', { sources: ['a', 'b'].map((name) => ({ ...source, name })) }, {});
    const [one, both] = [workloadOf(standard, usual), workloadOf(two, usual)];
    expect(both.records).toBe(2 * one.records);
    expect(both.deltas).toBe(2 * one.deltas);
    expect(both.changes).toBe(one.changes);
  });

  it('asks who it was in each delta that found something, where that is wanted', () => {
    const asking = configOf({}, { attribution: true });
    const more = (account: Account) => workloadOf(asking, account).requests - workloadOf(standard, account).requests;
    expect(more(usual)).toBe(30 * 288);
    expect(more({ ...usual, changesADay: 10 })).toBe(300);
  });
});

it('looks and sweeps as often as the config asks for, and neither more often than AWS starts to', () => {
  const cadence = fc.record({ every: fc.integer({ min: 1, max: 200 }), sweep: fc.integer({ min: 1, max: 200 }) });
  fc.assert(
    fc.property(cadence, ({ every, sweep }) => {
      const config = only('task', { every: `${every}s`, sweep: `${sweep}s` });
      const [scan] = workloadOf(config, usual).scans;
      expect(scan?.looks).toBe(Math.min(1440, 86_400 / every));
      expect(scan?.sweeps).toBe(Math.min(1440, 86_400 / sweep));
      expect(scan?.slowed).toBe(every < 60 || sweep < 60);
    }),
  );
});

describe('mails', () => {
  const mailsOf = (subscriptions: readonly object[]) =>
    quantityOf(estimate(configOf({ mail, subscriptions }), usual), 'SES');

  it('are none without a subscription by mail', () => {
    expect(mailsOf([hook])).toBe(0);
    expect(quantityOf(estimate(standard, usual), 'CloudWatch alarms')).toBe(DEPLOYED.alarmMetrics);
  });

  it('are counted for each of their readers, and watched by two more alarms', () => {
    expect(mailsOf([mailTo(['a@example.com', 'b@example.com'])])).toBe(60_000);
    const alarms = quantityOf(estimate(configOf({ mail }), usual), 'CloudWatch alarms');
    expect(alarms).toBe(DEPLOYED.alarmMetrics + DEPLOYED.mailAlarmMetrics);
  });

  it('share the deliveries with other subscriptions', () => {
    expect(mailsOf([hook, mailTo(['a@example.com'])])).toBe(15_000);
  });

  it('are one a day where they are a digest', () => {
    expect(mailsOf([mailTo(['a@example.com', 'b@example.com'], { digest: { at: '08:30' } })])).toBe(60);
  });
});

describe('turns', () => {
  const turnsOf = (subscription: object) => workloadOf(configOf({ subscriptions: [hook, subscription] }), usual).turns;
  const slack = { name: 'chat', events: ['*'], to: { slack: { webhook: 'ssm:/tidings/slack' } } };

  it('are taken for each attempt where there is a rate, as Slack always has, and for no other', () => {
    expect(turnsOf({ ...hook, name: 'other' })).toBe(0);
    expect(turnsOf({ ...hook, name: 'other', rate: '30/m' })).toBe(15_000);
    expect(turnsOf(slack)).toBe(15_000);
    expect(turnsOf({ ...slack, digest: { at: '08:30' } })).toBe(30);
  });

  it('cost a read and a write unit each', () => {
    const units = (subscription: object) => estimate(configOf({ subscriptions: [hook, subscription] }), usual);
    const [rated, unrated] = [units({ ...hook, name: 'other', rate: '30/m' }), units({ ...hook, name: 'other' })];
    for (const component of ['DynamoDB reads', 'DynamoDB writes']) {
      expect(quantityOf(rated, component) - quantityOf(unrated, component)).toBeCloseTo(15_000, 6);
    }
  });
});

describe('secrets', () => {
  const withSecret = (secret: string) =>
    estimate(configOf({ subscriptions: [{ ...hook, to: { http: { ...hook.to.http, secret } } }] }), usual);

  it('are free as parameters', () => {
    const estimated = withSecret('ssm:/tidings/ops');
    expect(quantityOf(estimated, 'SSM parameters')).toBe(2);
    expect(quantityOf(estimated, 'Secrets Manager')).toBe(0);
  });

  it('are paid by name in Secrets Manager, and by how often they are read', () => {
    const estimated = withSecret('secret:tidings#ops');
    expect(quantityOf(estimated, 'Secrets Manager')).toBe(1);
    expect(quantityOf(estimated, 'Secrets Manager reads')).toBe(ASSUMED.secretReads);
  });

  it('are one where two keys of it are used', () => {
    const second = { ...hook, name: 'second', to: { http: { ...hook.to.http, secret: 'secret:tidings#second' } } };
    const first = { ...hook, to: { http: { ...hook.to.http, secret: 'secret:tidings#first' } } };
    expect(quantityOf(estimate(configOf({ subscriptions: [first, second] }), usual), 'Secrets Manager')).toBe(1);
  });
});

describe('the figures it is made of', () => {
  it('are those of the field: 12,000 records every five minutes, read, read consistently, or put blindly', () => {
    const workload = workloadOf(only('task', { every: '5m', sweep: '6h' }), { ...usual, records: { task: 12_000 } });
    const [eventually, consistently, blindly, gateway] = naiveCosts(workload).map(({ dollars }) => dollars);
    expect(eventually).toBeCloseTo(6.48, 6);
    expect(consistently).toBeCloseTo(12.96, 6);
    expect(blindly).toBeCloseTo(129.6, 6);
    expect(gateway).toBeCloseTo(32.4, 6);
  });

  it('keep a packed manifest of the same below eleven cents, even where every look reads the whole list', () => {
    const invoices = { ...usual, records: { invoice: 12_000 } };
    expect(estimate(only('invoice', { every: '5m', sweep: '6h' }), invoices).looking).toBeLessThan(0.11);
  });

  it('charge a change from poll to webhook eleven units, where changes come together', () => {
    const { found, announceBatch, event, opened, deliverBatch, delivered } = MEASURED_UNITS;
    const of = (...parts: readonly { read: number; write: number }[]) =>
      parts.reduce((sum, { read, write }) => sum + read + write, 0);
    const units = of(found, event, opened, delivered) + of(announceBatch) / 100 + of(deliverBatch) / 10;
    expect(units).toBeGreaterThan(10.5);
    expect(units).toBeLessThan(12);
  });

  it('charge a sweep of 100,000 unchanged records no less than the eleven read units that were counted', () => {
    const once = (task: number) =>
      pollingUnits(workloadOf(only('project', { every: '1d' }), { ...usual, records: { project: task } })).read / 30;
    // Besides the minutes, in which the state is read anyway.
    const { idlePoll, sweep } = MEASURED_UNITS;
    expect(once(100_000) - once(0) + sweep.read + idlePoll.read).toBeGreaterThanOrEqual(11);
    expect(once(100_000) - once(0) + sweep.read + idlePoll.read).toBeLessThan(12);
  });

  it('have a price, a unit and a source each', () => {
    for (const { dollars, per, unit, source } of Object.values<Price>(PRICES)) {
      expect(dollars).toBeGreaterThanOrEqual(0);
      expect(per).toBeGreaterThan(0);
      expect(unit).not.toBe('');
      expect(source).toMatch(/\w+\.\w+/);
    }
    expect(dollarsFor('write', 2_000_000)).toBe(1.25);
    expect(dollarsFor('mail', 500)).toBe(0.05);
  });

  it('are all in the estimate, but the gateway nobody needs', () => {
    const used = new Set(estimate(standard, usual).lines.map(({ price }) => price));
    const unused = (Object.keys(PRICES) as PriceName[]).filter((name) => !used.has(name));
    expect(unused).toEqual(['gatewayHour']);
    expect(totalOf([])).toBe(0);
  });
});
