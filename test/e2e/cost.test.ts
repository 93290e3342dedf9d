/** What a month in AWS costs, as a person and as a program asks for it, and as the docs tell it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sayPrice } from '../../cli/cost.ts';
import { ASSUMED, MEASURED_BYTES, MEASURED_UNITS, type Units } from '../../runtime/cost/measured.ts';
import { PRICES, type Price } from '../../runtime/cost/prices.ts';
import { AWS_SOURCE, configFolder } from './aws-config-file.ts';
import { tidings, tidingsAt } from './command.ts';

const root = join(import.meta.dirname, '../..');
const docs = readFileSync(join(root, 'docs/cost.md'), 'utf8');
const cost = (...argv: readonly string[]) => tidingsAt('2026-11-16T08:00:00.000Z', ['cost', ...argv]);

const { configFile } = configFolder();
const source = AWS_SOURCE;

describe('tidings cost', () => {
  it('prints a table that adds up, in a process of its own', async () => {
    const { code, stdout, stderr } = await tidings(['cost']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [title, account, , header = '', ...rest] = stdout.trimEnd().split('\n');
    expect(title).toBe('a month in AWS, us-east-1, list prices of 2026-11, free tiers left out');
    expect(account).toMatch(/^15,100 records of one source, 1,000 changes a day, 1 delivery each; \d+ requests a day/);
    expect(header).toMatch(/^component +a month +price +dollars$/);
    const rows = rest.slice(0, rest.indexOf(''));
    // Dollars stand under dollars.
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([header.length]));
    const total = Number(/^total +\$([\d.,]+)$/.exec(rows.at(-1) ?? '')?.[1]);
    const shown = rows.slice(0, -1).map((row) => Number(/\$([\d.,]+)$/.exec(row)?.[1]));
    // Each row is rounded by itself.
    expect(Math.abs(shown.reduce((sum, dollars) => sum + dollars, 0) - total)).toBeLessThan(0.005 * shown.length);
  });

  it('is one object for programs', async () => {
    const { code, stdout } = await cost('--json');
    expect(code).toBe(0);
    const told = JSON.parse(stdout);
    expect(Object.keys(told)).toEqual([
      'region',
      'date',
      'account',
      'scans',
      'lines',
      'total',
      'standing',
      'looking',
      'naive',
    ]);
    expect(told.lines[0]).toEqual({
      component: 'DynamoDB writes',
      quantity: expect.any(Number),
      dollars: expect.any(Number),
      unit: 'write units',
      price: { dollars: 0.625, per: 1_000_000 },
    });
    const sum = told.lines.reduce((all: number, { dollars }: { dollars: number }) => all + dollars, 0);
    expect(told.total).toBeCloseTo(sum, 9);
    expect(told.account.records).toEqual({ task: 10_000, invoice: 2000, project: 500, person: 100 });
  });

  it('takes the size of the account, what changes in it, and who wants to know', async () => {
    const sizes = ['--tasks', '7', '--invoices', '6', '--projects', '5', '--people', '4', '--others', '3'];
    const { stdout } = await cost('--json', ...sizes, '--changes-per-day', '2', '--deliveries-per-event', '0.5');
    const { account, scans } = JSON.parse(stdout);
    expect(account).toEqual({
      records: { task: 7, invoice: 6, project: 5, person: 4 },
      others: 3,
      changesADay: 2,
      deliveriesPerEvent: 0.5,
    });
    const of = Object.fromEntries(
      scans.map((scan: { resource: string; records: number }) => [scan.resource, scan.records]),
    );
    expect(of).toMatchObject({ task: 7, invoice: 6, project: 5, person: 4, client: 3, expense: 3 });
  });

  it('reckons with the cadences and the secrets of a config, for AWS or not, whose variables need not be set', async () => {
    const subscription = (name: string, secret: string) => ({
      name,
      events: ['task.*'],
      to: { http: { url: 'https://ops.example.com/hook', secret } },
    });
    const file = configFile({
      source: { ...source, resources: { task: { every: '1m', sweep: '1h' } } },
      subscriptions: [subscription('aws', 'secret:tidings#ops'), subscription('here', '${NOT_SET}')],
    });
    const { code, stdout, stderr } = await cost('--config', file, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { scans, lines } = JSON.parse(stdout);
    expect(scans[0]).toMatchObject({ resource: 'task', kind: 'delta', looks: 1440, sweeps: 24 });
    expect(lines).toContainEqual(expect.objectContaining({ component: 'Secrets Manager', quantity: 1, dollars: 0.4 }));
  });

  it('reckons cadences below a minute as once a minute, and says so where there are any', async () => {
    const hasty = (every: string) =>
      configFile({ source: { ...source, resources: { task: { every }, invoice: { every: '3s' } } } });
    const { stdout } = await cost('--config', hasty('2s'));
    expect(stdout.split('\n')[2]).toBe(
      'cadences below a minute (task, invoice) are once a minute in AWS, and reckoned so',
    );
    const [, requests] = /; ([\d,]+) requests a day/.exec(stdout) ?? [];
    const slowest = await cost('--config', hasty('1m'));
    expect(slowest.stdout).toContain(`; ${requests} requests a day`);
    expect(slowest.stdout.split('\n')[2]).toBe(
      'cadences below a minute (invoice) are once a minute in AWS, and reckoned so',
    );
    expect((await cost()).stdout).not.toContain('below a minute');
  });

  it('takes the example of the demo as it stands, without one of its variables', async () => {
    const { code, stdout, stderr } = await cost('--config', join(root, 'examples/agency.yaml'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('cadences below a minute (task, invoice, project, client) are once a minute');
  });

  it('tells of several sources', async () => {
    const file = configFile({ sources: ['one', 'two'].map((name) => ({ ...source, name })) });
    const { stdout } = await cost('--config', file);
    expect(stdout).toContain('30,200 records of 2 sources');
  });

  it('says less than a cent where it is, and nothing where it is nothing', async () => {
    const { stdout } = await cost('--tasks', '0', '--changes-per-day', '1');
    expect(stdout).toMatch(/^Lambda announce .* <\$0\.01$/m);
    expect(stdout).toMatch(/^SES +0 mails .* \$0\.00$/m);
  });

  it.each([
    [['--tasks', 'many'], /'many' is invalid\. Expected a whole number from 0 to 1,000,000,000/],
    [['--tasks', '-5'], /'-5' is invalid\. Expected a whole number/],
    [['--invoices', '1.5'], /'1\.5' is invalid\. Expected a whole number/],
    [['--projects', '10,000'], /'10,000' is invalid\. Expected a whole number .* without separators/],
    [['--people', ''], /'' is invalid\. Expected a whole number/],
    [['--changes-per-day', '1e9'], /'1e9' is invalid\. Expected a whole number/],
    [['--changes-per-day', '1000000001'], /Expected a whole number from 0 to 1,000,000,000/],
    [['--deliveries-per-event', '-1'], /'-1' is invalid\. Expected a number from 0 to 10,000, such as/],
    [['--deliveries-per-event', 'Infinity'], /Expected a number from 0 to 10,000/],
    [['--config', 'nowhere.yaml'], /config 'nowhere\.yaml': no such file; name another with --config, or leave it out/],
    [['--task', '5'], /unknown option '--task'\n\(Did you mean --tasks\?\)/],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await cost(...argv);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('refuses a config that is wrong, and names the place', async () => {
    const file = configFile({ source: { ...source, resources: { task: { every: 'often' } } } });
    const { code, stderr } = await cost('--config', file);
    expect(code).toBe(2);
    expect(stderr).toMatch(/source\.resources\.task\.every: expected .*got 'often'/);
  });
});

describe('docs/cost.md', () => {
  const blocks = [...docs.matchAll(/```\n\$ tidings cost ?([^\n]*)\n([\s\S]*?)```/g)];

  it('shows what the command prints', async () => {
    expect(blocks.length).toBeGreaterThan(1);
    for (const [, argv = '', shown] of blocks) {
      const { stdout } = await cost(...argv.split(' ').filter((part) => part !== ''));
      expect(shown).toBe(stdout);
    }
  });

  it('has totals as the command reckons them', async () => {
    const rows = [...docs.matchAll(/^\| `tidings cost ?([^`]*)` \| \$([\d.,]+) \| \$([\d.,]+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(3);
    for (const [, argv = '', total, standing] of rows) {
      const { stdout } = await cost('--json', ...argv.split(' ').filter((part) => part !== ''));
      const told = JSON.parse(stdout);
      expect([argv, told.total.toFixed(2), told.standing.toFixed(2)]).toEqual([argv, total, standing]);
    }
  });

  it('lists every price with its source', () => {
    for (const price of Object.values<Price>(PRICES))
      expect(docs).toContain(`| ${price.unit} | ${sayPrice(price)} | ${price.source} |`);
  });

  it('lists every measured figure', () => {
    for (const [name, { read, write }] of Object.entries<Units>(MEASURED_UNITS))
      expect(docs).toMatch(new RegExp(`^\\| \`${name}\` \\| ${read} \\| ${write} \\| .+ \\|$`, 'm'));
    for (const [name, bytes] of Object.entries(MEASURED_BYTES)) expect(docs).toContain(`\`${name}\` ${bytes}`);
    for (const [name, seconds] of Object.entries(ASSUMED.seconds)) expect(docs).toContain(`\`${name}\` ${seconds} s`);
    for (const [name, bytes] of Object.entries(ASSUMED.logBytes)) expect(docs).toContain(`\`${name}\` ${bytes}`);
  });
});
