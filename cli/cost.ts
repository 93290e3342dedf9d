/** `tidings cost`: estimates a month of the AWS deployment by the formulae of docs/cost.md. Makes no requests. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { referencesIn, replaceReferences } from '../core/model/reference.ts';
import { initialScanState } from '../core/model/scan.ts';
import { DAY } from '../core/model/time.ts';
import { forecastResourceRequests, lightKind } from '../core/source/plan.ts';
import { cadenceInAws } from '../runtime/config/aws-references.ts';
import type { Config, Environment } from '../runtime/config/config.ts';
import { parseText, parseTree, readText } from '../runtime/config/load.ts';
import { isSecret, type Path, pathText } from '../runtime/config/problems.ts';
import { dividesPolls } from '../runtime/config/serves-api.ts';
import { isConfigSection } from '../runtime/config/values.ts';
import { withStores } from '../runtime/inspect/open-stores.ts';
import { withStoredSources } from '../runtime/stored-sources.ts';
import { formatNumber, pluralize, type Terminal, table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { jsonOption, stackOption } from './options.ts';

/** Of every price in `costLines`. docs/cost.md names AWS's page for each. */
const PRICE_LIST = { region: 'us-east-1', date: '2026-11' } as const;

/** What lib/ deploys whatever the load; a test compares it with the template. */
export const DEPLOYED = {
  schedules: 2,
  metrics: 11,
  alarmMetrics: 35,
  mailAlarmMetrics: 2,
  /** Where queues divide the polls of several sources. */
  pollAlarmMetrics: 1,
  dashboards: 1,
  keys: 1,
};

interface Account {
  /** Records by resource, in each source; `others` is for each resource that is not named. */
  readonly records: Readonly<Record<string, number>>;
  readonly others: number;
  readonly changesADay: number;
  readonly deliveriesPerEvent: number;
}

export function costCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('cost')
    .summary('estimate what the AWS deployment costs per month')
    .description(
      `Estimates a month in AWS at the list prices of ${PRICE_LIST.region}, without free tiers, from the cadences of a config,\n` +
        'the size of the account and how much changes in it. docs/cost.md has the formulae. Makes no requests, except to\n' +
        'read the sources that were added to a stack with --aws.',
    )
    .option('-c, --config <file>', 'the config to estimate; without one, the default cadences')
    .addOption(new Option('-d, --data <directory>', 'also count the sources that were added to this data directory'))
    .addOption(
      stackOption('also count the sources that were added to this AWS stack, with your own credentials and region'),
    )
    .option('--tasks <count>', 'tasks in each source', readCount, 10_000)
    .option('--invoices <count>', 'invoices in each source', readCount, 2000)
    .option('--projects <count>', 'projects in each source', readCount, 500)
    .option('--people <count>', 'people in each source', readCount, 100)
    .option('--others <count>', 'records of every other resource that is polled', readCount, 500)
    .option('--changes-per-day <count>', 'changed records per day, in all sources together', readCount, 1000)
    .option('--deliveries-per-event <count>', 'receivers of a change, on average', readAverage, 1)
    .addOption(jsonOption())
    .action(async (flags: CostFlags) => {
      const { config, tasks, invoices, projects, people, others, changesPerDay, deliveriesPerEvent, json } = flags;
      const records = { task: tasks, invoice: invoices, project: projects, person: people };
      const account = { records, others, changesADay: changesPerDay, deliveriesPerEvent };
      const added = await readAddedSources(flags, context);
      const loaded = loadCostConfig(config, context.environment, { isEmptyByDefault: added !== undefined });
      const inEffect = withStoredSources(loaded.config, added ?? []);
      const estimate = estimateCost({ ...loaded, config: inEffect }, account);
      const ofConfig = loaded.config.sources.length;
      const sources = { config: ofConfig, added: added === undefined ? null : inEffect.sources.length - ofConfig };
      if (json) context.terminal.out(JSON.stringify({ ...PRICE_LIST, account, sources, ...estimate }));
      else printEstimate(estimate, account, { ...sources, isDefault: config === undefined }, context.terminal);
      exit(0);
    });
}

interface CostFlags {
  readonly config?: string;
  readonly data?: string;
  readonly aws?: string;
  readonly tasks: number;
  readonly invoices: number;
  readonly projects: number;
  readonly people: number;
  readonly others: number;
  readonly changesPerDay: number;
  readonly deliveriesPerEvent: number;
  readonly json: boolean;
}

/** Undefined if no data are named. */
async function readAddedSources({ data, aws }: CostFlags, context: Context) {
  if (data === undefined && aws === undefined) return undefined;
  const location = { data: data ?? '', ...(aws === undefined ? {} : { aws }) };
  return withStores(location, context, ({ storedSources }) => storedSources.list());
}

interface CountedSources {
  readonly config: number;
  /** null: they were not counted. */
  readonly added: number | null;
  /** Without a config, one source is assumed. */
  readonly isDefault: boolean;
}

function sayCounted({ config, added, isDefault }: CountedSources): string | undefined {
  if (added !== null) return `${pluralize(config, 'source')} of the config, ${added} added`;
  if (isDefault) return undefined;
  return 'sources that were added with tidings sources add do not count; count them with --aws STACK or --data DIRECTORY';
}

const MAX_COUNT = 1_000_000_000;

function readCount(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= MAX_COUNT) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${formatNumber(MAX_COUNT)}, without separators.`);
}

function readAverage(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) <= 10_000) return Number(text);
  throw new InvalidArgumentError("Expected a number from 0 to 10,000, such as '2' or '0.5'.");
}

const HINT = 'name another with --config, or omit it to use the default cadences';
const ANY_URL = 'https://tidings.example.com';

/** In place of unset variables where the schema expects a special format. */
const FORMATTED: readonly (readonly [path: RegExp, value: string])[] = [
  [/(^|\.)(baseUrl|url|api|runbookUrl)$/, ANY_URL],
  [/\.digest\.at$|\.quiet\.(from|until)$/, '08:00'],
  [/(^|\.)timeZone$/, 'UTC'],
  [/^mail\.from$|^aws\.alarmEmail$|\.to\.\w+\.to\[\d+\]$/, 'tidings@example.com'],
  [/^subscriptions\[\d+\]\.events\[\d+\]$/, '*'],
];
const FREE_TEXT =
  /(^|\.)(name|channel|meaning|user)$|^links\.|\.(where|when|template|mentions)\.|^rules\.closedStatuses\[/;

/** Variables that do not affect the cost (secrets, addresses, times of day, texts) may be unset. */
export function loadCostConfig(
  file: string | undefined,
  environment: Environment,
  { isEmptyByDefault = false }: { readonly isEmptyByDefault?: boolean } = {},
) {
  const byDefault = isEmptyByDefault ? { sources: [] } : { source: { baseUrl: ANY_URL, token: 'ssm:/tidings/token' } };
  const raw: unknown = file === undefined ? byDefault : parseText(file, readText(file, 'config', HINT));
  const references: string[] = [];
  const fill = (value: unknown, path: Path): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index]));
    if (isConfigSection(value)) {
      const filled = Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key])]);
      // In AWS the deployment knows the address of the links.
      return { ...(pathText(path) === 'manage' && { url: ANY_URL }), ...Object.fromEntries(filled) };
    }
    if (typeof value !== 'string' || value === '') return value;
    if (isSecret(path)) return references.push(value) && 'file:secret';
    if (referencesIn(value).every((name) => environment[name])) return value;
    const place = pathText(path);
    const [, formatted] = FORMATTED.find(([pattern]) => pattern.test(place)) ?? [];
    if (formatted !== undefined) return formatted;
    return FREE_TEXT.test(place) ? replaceReferences(value, (_, name) => name) : value;
  };
  return { config: parseTree(file ?? 'the default config', fill(raw, []), environment), references };
}

type Estimate = ReturnType<typeof estimateCost>;
type Scans = ReturnType<typeof scansPerDay>;

export function estimateCost({ config, references }: ReturnType<typeof loadCostConfig>, account: Account) {
  const scans = scansPerDay(config, account);
  const lines = costLines(config, references, scans, account);
  const idle = costLines(config, references, scans, { ...account, changesADay: 0 });
  return { scans, lines, total: sum(lines, (one) => one.dollars), standing: sum(idle, (one) => one.dollars) };
}

function scansPerDay({ sources }: Config, account: Account) {
  return sources.flatMap(({ name: source, resources }) =>
    resources.map(({ resource, cadence: configured }) => {
      const cadence = cadenceInAws(configured);
      const kind = lightKind(resource);
      const records = account.records[resource.name] ?? account.others;
      const state = { ...initialScanState(source, resource.name), count: records };
      const looks = DAY / cadence.every;
      const sweeps = kind === 'sweep' ? 0 : DAY / cadence.sweep;
      const requests = forecastResourceRequests({ resource, cadence, state });
      const slowed = cadence.every > configured.every || (kind !== 'sweep' && cadence.sweep > configured.sweep);
      return { source, resource: resource.name, records, kind, looks, sweeps, requests, slowed };
    }),
  );
}

/** A source is polled as often as the most frequent of its resources. */
function pollsPerDay(scans: Scans): number {
  const bySource = Map.groupBy(scans, ({ source }) => source);
  return sum([...bySource.values()], (ofSource) => Math.max(...ofSource.map(({ looks }) => looks)));
}

function costLines(config: Config, references: readonly string[], scans: Scans, account: Account) {
  const [days, minutes] = [30, 30 * 24 * 60];
  const deltas = days * sum(scans, ({ kind, looks }) => (kind === 'delta' ? looks : 0));
  const fullReads = ({ kind, looks, sweeps }: Scans[number]) => (kind === 'delta' ? 0 : looks) + sweeps;
  const scanned = deltas + days * sum(scans, fullReads);
  const sweptRecords = days * sum(scans, (scan) => fullReads(scan) * scan.records);
  const changes = days * account.changesADay;
  const deliveries = changes * account.deliveriesPerEvent;
  const attributions = config.sources.some(({ attribution }) => attribution) ? Math.min(changes, deltas) : 0;
  const requests = days * sum(scans, (scan) => scan.requests) + scanned + attributions;
  const announceBatches = Math.max(Math.min(changes, scanned), changes / 100);
  const deliverBatches = Math.max(Math.min(announceBatches, deliveries), deliveries / 10);
  const isDivided = dividesPolls(config);
  const polls = isDivided ? days * pollsPerDay(scans) : 0;
  // Up to ten sources wait in one execution.
  const batchSize = Math.min(10, Math.max(1, polls / minutes));
  const pollBatches = polls / batchSize;
  const invocations = DEPLOYED.schedules * minutes + pollBatches + announceBatches + deliverBatches;
  const writes = 3 * scanned + 10 * changes + 5 * deliveries;
  const checks = (5 + 0.5 * config.sources.length + 0.25 * scans.length) * minutes;
  const reads = checks + 4 * scanned + sweptRecords / 180 + 5 * changes + 4 * deliveries;
  const kept = (config.retention / DAY / days) * (1400 * changes + 550 * deliveries);
  const stored = (1100 * sum(scans, ({ records }) => records) + kept) / 1e9;
  const batches = 0.1 * announceBatches + 0.25 * deliverBatches;
  const compute = 0.075 * minutes + (2 * requests) / batchSize + batches + 0.02 * (changes + deliveries);
  const logged = (1500 * invocations + 500 * scanned + 300 * changes + 400 * deliveries) / 1e9;
  const share = deliveries / Math.max(1, config.subscriptions.length);
  const mails = sum(config.subscriptions, ({ to, digest }) => {
    const each = channelRegistry.get(to.channel)?.mailsPerMessage(to.settings) ?? 0;
    return each * (digest === undefined ? share : Math.min(share, days));
  });
  const ofMail = config.mail === undefined ? 0 : DEPLOYED.mailAlarmMetrics;
  const alarms = DEPLOYED.alarmMetrics + ofMail + (isDivided ? DEPLOYED.pollAlarmMetrics : 0);
  const secrets = new Set(references.filter((one) => one.startsWith('secret:')).map((one) => one.split('#')[0])).size;
  return [
    line('DynamoDB writes', writes, 'write units', 0.625, 1_000_000),
    line('DynamoDB reads', reads, 'read units', 0.125, 1_000_000),
    line('DynamoDB storage', stored, 'GB-months', 0.25),
    line('DynamoDB recovery', stored, 'GB-months', 0.2),
    line('Lambda compute', compute, 'GB-seconds (arm)', 13.3334, 1_000_000),
    line('Lambda requests', invocations, 'invocations', 0.2, 1_000_000),
    line('SQS', (isDivided ? 3 : 1) * 15 * minutes + 3 * (pollBatches + deliverBatches), 'requests', 0.4, 1_000_000),
    line('EventBridge Scheduler', DEPLOYED.schedules * minutes, 'invocations', 1, 1_000_000),
    line('SES', mails, 'mails', 0.1, 1000),
    line('CloudWatch logs', logged, 'GB', 0.5),
    line('CloudWatch log storage', logged, 'GB-months', 0.03),
    line('CloudWatch metrics', DEPLOYED.metrics, 'metrics', 0.3),
    line('CloudWatch alarms', alarms, 'alarm metrics', 0.1),
    line('CloudWatch dashboard', DEPLOYED.dashboards, 'dashboard', 3),
    line('KMS key', DEPLOYED.keys, 'key', 1),
    line('Secrets Manager', secrets, 'secrets', 0.4),
    line('Secrets Manager reads', 17_280 * secrets, 'requests', 0.05, 10_000),
  ];
}

function line(component: string, quantity: number, unit: string, dollars: number, per = 1) {
  return { component, quantity, unit, price: { dollars, per }, dollars: (quantity / per) * dollars };
}

function sum<T>(items: readonly T[], amountOf: (item: T) => number): number {
  return items.reduce((total, item) => total + amountOf(item), 0);
}

function printEstimate(
  { scans, lines, total, standing }: Estimate,
  account: Account,
  counted: CountedSources,
  { out }: Terminal,
): void {
  const sources = pluralize(counted.config + (counted.added ?? 0), 'source');
  const records = sum(scans, (scan) => scan.records);
  const requests = pluralize(Math.ceil(sum(scans, (scan) => scan.requests)), 'API request');
  const slowed = new Set(scans.filter((scan) => scan.slowed).map(({ resource }) => resource));
  const load = `${pluralize(account.changesADay, 'change')} per day × ${pluralize(account.deliveriesPerEvent, 'receiver')}`;
  out(`AWS cost per month, ${PRICE_LIST.region}, list prices of ${PRICE_LIST.date}, without free tiers`);
  out(`${pluralize(records, 'record')} in ${sources}, ${load}, ${requests} per day`);
  const note = sayCounted(counted);
  if (note !== undefined) out(note);
  if (slowed.size > 0) out(`cadences below 1 minute (${[...slowed].join(', ')}) count as 1 minute, the minimum in AWS`);
  out('');
  const dollars = (amount: number) => `$${amount.toFixed(2)}`.padStart(8);
  const rows = lines.map(({ component, quantity, unit, price, dollars: cost }) => {
    const digits = quantity < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
    const unitPrice = price.dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
    const each = `$${unitPrice}${price.per === 1 ? '' : ` per ${formatNumber(price.per)}`}`;
    return [component, `${quantity.toLocaleString('en', digits)} ${unit}`, each, dollars(cost)];
  });
  for (const row of table([...rows, ['total', '', '', dollars(total)]])) out(row);
  out(`\n$${standing.toFixed(2)} of it is charged even if nothing changes.`);
}
