/** `tidings cost`: what the AWS deployment of a config will cost in a month. Asks nobody; the reckoning is runtime/cost/cost.ts. */

import { type Command, InvalidArgumentError } from 'commander';
import { defaultCostConfig, loadCostConfig } from '../runtime/cost/config.ts';
import { type CostLine, type Estimate, estimate } from '../runtime/cost/cost.ts';
import { PRICE_LIST, PRICES, type Price } from '../runtime/cost/prices.ts';
import type { Account } from '../runtime/cost/workload.ts';
import type { Context, ExitCode } from './context.ts';
import { jsonOption } from './options.ts';
import { counted, number, type Terminal, table } from './terminal.ts';

interface CostFlags {
  readonly config?: string;
  readonly tasks: number;
  readonly invoices: number;
  readonly projects: number;
  readonly people: number;
  readonly others: number;
  readonly changesPerDay: number;
  readonly deliveriesPerEvent: number;
  readonly json: boolean;
}

/** Past it nobody's account is, and a slip of the finger is likely. */
const MOST = 1_000_000_000;

export function costCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('cost')
    .summary('estimate what the AWS deployment costs in a month')
    .description(
      `Estimates a month in AWS at the list prices of ${PRICE_LIST.region}, free tiers left out: from the cadences of a config, the size\n` +
        'of the account and how much changes in it. Asks nobody. docs/cost.md tells how it is reckoned.',
    )
    .option('-c, --config <file>', 'the config to reckon with; without one, the cadences of a config that names none')
    .option('--tasks <count>', 'tasks of each source', readCount, 10_000)
    .option('--invoices <count>', 'invoices of each source', readCount, 2000)
    .option('--projects <count>', 'projects of each source', readCount, 500)
    .option('--people <count>', 'people of each source', readCount, 100)
    .option('--others <count>', 'records of every other resource that is read', readCount, 500)
    .option('--changes-per-day <count>', 'records that change in a day, in all', readCount, 1000)
    .option('--deliveries-per-event <count>', 'receivers of a change, on average', readAverage, 1)
    .addOption(jsonOption())
    .action((flags: CostFlags) => {
      runCost(flags, context);
      exit(0);
    });
}

function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= MOST) return count;
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${number(MOST)}, without separators.`);
}

function readAverage(text: string): number {
  const average = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && average <= 10_000) return average;
  throw new InvalidArgumentError("Expected a number from 0 to 10,000, such as '2' or '0.5'.");
}

function runCost(flags: CostFlags, { terminal, environment }: Context): void {
  const config = flags.config === undefined ? defaultCostConfig() : loadCostConfig(flags.config, environment);
  const { tasks, invoices, projects, people, others, changesPerDay, deliveriesPerEvent } = flags;
  const account: Account = {
    records: { task: tasks, invoice: invoices, project: projects, person: people },
    others,
    changesADay: changesPerDay,
    deliveriesPerEvent,
  };
  const estimated = estimate(config, account);
  if (flags.json)
    terminal.out(JSON.stringify({ ...PRICE_LIST, account, ...estimated, lines: priced(estimated.lines) }));
  else print(estimated, account, terminal);
}

const priced = (lines: readonly CostLine[]) =>
  lines.map(({ price, ...line }) => {
    const { unit, dollars, per }: Price = PRICES[price];
    return { ...line, unit, price: { dollars, per } };
  });

function print(
  { scans, lines, total, standing, looking, naive }: Estimate,
  account: Account,
  terminal: Terminal,
): void {
  const { out, paint } = terminal;
  out(`a month in AWS, ${PRICE_LIST.region}, list prices of ${PRICE_LIST.date}, free tiers left out`);
  out(sayAccount(scans, account));
  for (const line of saySlowed(scans)) out(line);
  out('');
  const rows = lines.map(({ component, price, quantity, dollars }) => [
    component,
    sayQuantity(quantity, PRICES[price].unit),
    sayPrice(PRICES[price]),
    sayDollars(dollars),
  ]);
  const header = ['component', 'a month', 'price', 'dollars'];
  const [first = '', ...rest] = aligned([header, ...rows, ['total', '', '', sayDollars(total)]]);
  out(paint('dim', first));
  for (const line of rest.slice(0, -1)) out(line);
  out(paint('bold', rest.at(-1) ?? ''));
  out('');
  out(`${sayDollars(standing)} of it though nothing changes`);
  out(`${sayDollars(looking)} of that for looking, in DynamoDB, where other designs pay`);
  for (const line of aligned(naive.map(({ design, dollars }) => [`  ${design}`, sayDollars(dollars)]))) out(line);
}

function sayAccount(scans: Estimate['scans'], { changesADay, deliveriesPerEvent }: Account): string {
  const sources = new Set(scans.map(({ source }) => source)).size;
  const records = scans.reduce((sum, scan) => sum + scan.records, 0);
  const requests = Math.ceil(scans.reduce((sum, scan) => sum + scan.requests, 0));
  const parts = [
    `${counted(records, 'record')} of ${sources === 1 ? 'one source' : `${sources} sources`}`,
    `${counted(changesADay, 'change')} a day`,
    `${number(deliveriesPerEvent)} ${deliveriesPerEvent === 1 ? 'delivery' : 'deliveries'} each`,
  ];
  return `${parts.join(', ')}; ${counted(requests, 'request')} a day to the API`;
}

/** Nothing where every cadence is kept. */
function saySlowed(scans: Estimate['scans']): readonly string[] {
  const names = [...new Set(scans.filter(({ slowed }) => slowed).map(({ resource }) => resource))];
  if (names.length === 0) return [];
  return [`cadences below a minute (${names.join(', ')}) are once a minute in AWS, and reckoned so`];
}

/** The last column to the right: dollars stand under dollars. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widest = Math.max(0, ...rows.map((row) => row.at(-1)?.length ?? 0));
  return table(rows.map((row) => [...row.slice(0, -1), (row.at(-1) ?? '').padStart(widest)]));
}

export function sayPrice({ dollars, per, unit }: Price): string {
  if (dollars === 0) return 'free';
  const amount = dollars.toFixed(6).replace(/(\.\d\d.*?)0+$/, '$1');
  const of =
    per === 1_000_000 ? 'a million' : per === 1 ? `each${unit.startsWith('GB') ? ' GB' : ''}` : `for ${number(per)}`;
  return `$${amount} ${of}`;
}

/** Three digits are plenty for an estimate; small ones must not look like nothing. */
function sayQuantity(quantity: number, unit: string): string {
  const digits = quantity >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
  return `${quantity.toLocaleString('en', digits)} ${quantity === 1 ? unit.replace(/s$/, '') : unit}`;
}

function sayDollars(dollars: number): string {
  const fraction = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return dollars > 0 && dollars < 0.005 ? '<$0.01' : `$${dollars.toLocaleString('en', fraction)}`;
}
