/** The monthly estimate for AWS: what the command prints, and that it follows from the formulae of docs/cost.md. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateCost, loadCostConfig } from '../../cli/cost.ts';
import { AWS_SOURCE, configFolder } from '../e2e/aws-config-file.ts';
import { runCommandAt } from './run-command.ts';

const root = join(import.meta.dirname, '../..');
const docs = readFileSync(join(root, 'docs/cost.md'), 'utf8');
const { configFile } = configFolder();
const cost = (...argv: readonly string[]) => runCommandAt('2026-11-16T08:00:00.000Z', ['cost', ...argv]);
const costJson = async (...argv: readonly string[]) => JSON.parse((await cost('--json', ...argv)).stdout);

const source = AWS_SOURCE;
const hook = (name: string, secret: unknown) => ({
  name,
  events: ['task.*'],
  to: { http: { url: 'https://ops.example.com/hook', secret } },
});
const mailTo = (to: readonly string[], digest?: object) => ({
  name: 'team',
  events: ['task.*'],
  digest,
  to: { email: { to } },
});

describe('docs/cost.md', () => {
  it('shows what the command prints', async () => {
    const [, shown] = /```\n\$ tidings cost\n([\s\S]*?)```/.exec(docs) ?? [];
    expect((await cost()).stdout).toBe(shown);
  });

  it('has the totals that the command estimates', async () => {
    for (const [, argv = '', total] of docs.matchAll(/`(--[^`]*\d)`[^$]*?\$(\d+\.\d\d)/g))
      expect((await costJson(...argv.split(' '))).total.toFixed(2)).toBe(total);
  });

  it('has a worked example whose calculations give the quantities that the code computes', () => {
    const off = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
    const resources = { ...Object.fromEntries(off.map((name) => [name, 'off'])), task: { every: '1h', sweep: '1d' } };
    const file = configFile({ source: { ...source, token: 'secret:tidings#token', resources }, retention: '60d' });
    const account = { records: { task: 5400 }, others: 0, changesADay: 10, deliveriesPerEvent: 2 };
    const { lines } = estimateCost(loadCostConfig(file, {}), account);
    const example = docs.slice(docs.indexOf('## Worked example'));
    const rows = [...example.matchAll(/^\| (\w[^|]+) \| ([\d][^|]*|\([^|]*) \| ([\d.,]+) \|$/gm)];
    expect(rows).toHaveLength(7);
    for (const [, component, calculation = '', quantity = ''] of rows) {
      const computed = lines.find((line) => line.component === component)?.quantity;
      expect(evaluate(calculation)).toBeCloseTo(Number(quantity.replaceAll(',', '')), 9);
      expect([component, computed]).toEqual([component, expect.closeTo(Number(quantity.replaceAll(',', '')), 9)]);
    }
  });

  it('has the price of every line', async () => {
    const { lines } = await costJson();
    for (const { price } of lines) expect(docs).toMatch(new RegExp(`\\$${price.dollars}0?(\\.00)?[ ,|]`));
  });
});

/** Arithmetic in the notation of the docs: `3 × 750 + 162,000 / 180`. */
function evaluate(calculation: string): number {
  const expression = calculation.replaceAll(',', '').replaceAll('×', '*');
  if (!/^[\d.+*/() ]+$/.test(expression)) throw new Error(`not a calculation: ${calculation}`);
  return new Function(`return ${expression}`)();
}

describe('tidings cost', () => {
  it('prints one JSON object whose lines add up to the total', async () => {
    const estimate = await costJson();
    expect(Object.keys(estimate)).toEqual([
      'region',
      'date',
      'account',
      'sources',
      'scans',
      'lines',
      'total',
      'standing',
    ]);
    expect(estimate.lines[0]).toEqual({
      component: 'DynamoDB writes',
      quantity: expect.any(Number),
      dollars: expect.any(Number),
      unit: 'write units',
      price: { dollars: 0.625, per: 1_000_000 },
    });
    const sum = estimate.lines.reduce((total: number, { dollars }: { dollars: number }) => total + dollars, 0);
    expect(estimate.total).toBeCloseTo(sum, 9);
  });

  it('uses the size of the account that the options give', async () => {
    const sizes = ['--tasks', '7', '--invoices', '6', '--projects', '5', '--people', '4', '--others', '3'];
    const { account, scans } = await costJson(...sizes, '--changes-per-day', '2', '--deliveries-per-event', '0.5');
    const records = { task: 7, invoice: 6, project: 5, person: 4 };
    expect(account).toEqual({ records, others: 3, changesADay: 2, deliveriesPerEvent: 0.5 });
    const byResource = scans.map((scan: { resource: string; records: number }) => [scan.resource, scan.records]);
    expect(Object.fromEntries(byResource)).toMatchObject({ ...records, client: 3, expense: 3 });
  });

  it('costs the same as the fixed part when nothing changes, and more with each change and receiver', async () => {
    const idle = await costJson('--changes-per-day', '0', '--deliveries-per-event', '9');
    expect(idle.total).toBe(idle.standing);
    const one = await costJson();
    const two = await costJson('--deliveries-per-event', '2');
    expect(one.total).toBeGreaterThan(idle.total);
    expect(two.total).toBeGreaterThan(one.total);
    expect(two.standing).toBe(idle.standing);
  });

  it('counts a secret with several keys once, and mails per recipient, a digest once a day', async () => {
    const mail = { from: 'tidings@example.com', smtp: 'smtp://localhost:587' };
    const secrets = [hook('one', 'secret:tidings#one'), hook('two', 'secret:tidings#two')];
    const quantities = async (subscriptions: readonly object[]) => {
      const { lines } = await costJson('--config', configFile({ source, mail, subscriptions }));
      return Object.fromEntries(
        lines.map((line: { component: string; quantity: number }) => [line.component, line.quantity]),
      );
    };
    expect(await quantities(secrets)).toMatchObject({ 'Secrets Manager': 1, SES: 0, 'CloudWatch alarms': 37 });
    const readers = ['a@example.com', 'b@example.com'];
    expect(await quantities([mailTo(readers)])).toMatchObject({ SES: 60_000 });
    expect(await quantities([mailTo(readers, { at: '08:00' })])).toMatchObject({ SES: 60 });
  });

  it('counts one more API request for each delta that finds a change, where attribution is on', async () => {
    const compute = async (attribution: boolean) => {
      const file = configFile({ source: { ...source, attribution } });
      const { lines } = await costJson('--config', file, '--changes-per-day', '10');
      return lines.find((line: { component: string }) => line.component === 'Lambda compute').quantity;
    };
    expect((await compute(true)) - (await compute(false))).toBeCloseTo(2 * 300, 6);
  });

  it('counts cadences below a minute as one minute, and names them', async () => {
    const hasty = configFile({ source: { ...source, resources: { task: { every: '2s' }, invoice: { every: '1m' } } } });
    const { stdout } = await cost('--config', hasty);
    expect(stdout).toContain('cadences below 1 minute (task) count as 1 minute, the minimum in AWS');
    const { scans } = await costJson('--config', hasty);
    expect(scans[0]).toMatchObject({ resource: 'task', kind: 'delta', looks: 1440, slowed: true });
    expect((await cost()).stdout).not.toContain('below 1 minute');
  });

  it('adds up several sources', async () => {
    const file = configFile({ sources: ['one', 'two'].map((name) => ({ ...source, name })) });
    expect((await cost('--config', file)).stdout).toContain('30,200 records in 2 sources');
  });

  it('reads the config of the demo with all its variables unset', async () => {
    const { code, stderr } = await cost('--config', join(root, 'examples/agency.yaml'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('allows unset variables in secrets, addresses, times of day, zones, names and texts', () => {
    const file = configFile({
      source: { ...source, name: '${SOURCE}', baseUrl: '${HOST}/api', timeZone: '${ZONE}' },
      mail: { from: 'Tidings <${SENDER}>' },
      manage: { secret: '${LINKS}' },
      links: { task: 'https://${HOST}/tasks/{localid}' },
      rules: { closedStatuses: ['${DONE}'] },
      aws: { alarmEmail: '${OPS}', runbookUrl: '${RUNBOOK}' },
      subscriptions: [
        { name: '${ONE}', events: ['${TYPE}'], to: { slack: { token: '${T}', channel: '${C}', api: '${SLACK}' } } },
        {
          name: '${TWO}',
          events: ['task.*'],
          where: { subject: [{ prefix: '${PREFIX}' }] },
          digest: { at: '${MORNING}' },
          quiet: { from: '${EVENING}', until: '${MORNING}' },
          template: { text: '${GREETING} {{ line }}' },
          to: { email: { to: ['${READER}'] } },
        },
      ],
    });
    const { config, references } = loadCostConfig(file, {});
    expect(config.subscriptions.map(({ name }) => name)).toEqual(['ONE', 'TWO']);
    expect(references).toEqual(['ssm:/tidings/token', '${LINKS}', '${T}']);
    expect(JSON.stringify(config)).not.toContain('${');
  });

  it('keeps no secret in the loaded config', () => {
    const { config } = loadCostConfig(configFile({ source, subscriptions: [hook('ops', 'whsec_spelled-out')] }), {});
    expect(JSON.stringify(config)).not.toContain('spelled-out');
  });

  it.each([
    [{ source: { ...source, resources: { task: { every: '${PACE}' } } } }, 'source.resources.task.every'],
    [{ source, retention: '${PACE}' }, 'retention'],
  ])('requires variables that set a cadence or a retention: %j', async (raw, place) => {
    const { code, stderr } = await cost('--config', configFile(raw));
    expect(code).toBe(2);
    expect(stderr).toContain(`${place}: expected the environment variable PACE to be set`);
  });

  it.each([
    [{ source: { ...source, resources: { task: { every: 'often' } } } }, /source\.resources\.task\.every: expected/],
    [{ source, subscriptions: [hook('ops', '')] }, /subscriptions\[0\]\.to\.http\.secret/],
    [{ source, subscriptions: [hook('ops', 7)] }, /subscriptions\[0\]\.to\.http\.secret/],
    [{ source, manage: 7 }, /manage: expected/],
  ])('rejects the config %j and names the field', async (raw, message) => {
    const { code, stderr } = await cost('--config', configFile(raw));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    [['--tasks', 'many'], /'many' is invalid\. Expected a whole number from 0 to 1,000,000,000/],
    [['--tasks', '-5'], /'-5' is invalid\. Expected a whole number/],
    [['--invoices', '1.5'], /'1\.5' is invalid\. Expected a whole number/],
    [['--projects', '10,000'], /'10,000' is invalid\. Expected a whole number .* without separators/],
    [['--people', ''], /'' is invalid\. Expected a whole number/],
    [['--changes-per-day', '1000000001'], /Expected a whole number from 0 to 1,000,000,000/],
    [['--deliveries-per-event', '-1'], /'-1' is invalid\. Expected a number from 0 to 10,000, such as/],
    [['--deliveries-per-event', 'Infinity'], /Expected a number from 0 to 10,000/],
    [['--config', 'nowhere.yaml'], /config 'nowhere\.yaml': no such file; name another with --config, or omit it/],
    [['--task', '5'], /unknown option '--task'\n\(Did you mean --tasks\?\)/],
  ])('rejects %j', async (argv, message) => {
    const { code, stdout, stderr } = await cost(...argv);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
