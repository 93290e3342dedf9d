/**
 * The options of `tidings simulate`, their parsing, and what the command prints once the simulator runs.
 * Registers nothing; the command line does.
 */
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';

export interface CommandOption {
  /** As commander writes flags. */
  readonly flags: string;
  readonly description: string;
  /** @default - none */
  readonly default?: string;
  /** May be given several times. */
  readonly repeated?: boolean;
}

export const simulateOptions: readonly CommandOption[] = [
  { flags: '--port <number>', description: 'port of the API', default: '4010' },
  { flags: '--control-port <number>', description: 'port of the control API (default: one above --port)' },
  { flags: '--host <address>', description: 'address to listen on', default: '127.0.0.1' },
  { flags: '--seed <number>', description: 'same seed, same account', default: '1' },
  { flags: '--tasks <number>', description: 'tasks in the account, up to 1,000,000', default: '1000' },
  { flags: '--invoices <number>', description: 'invoices (default: a fifth of the tasks)' },
  { flags: '--projects <number>', description: 'projects (default: a twentieth of the tasks)' },
  { flags: '--time-zone <zone>', description: "the account's IANA zone", default: 'Europe/Berlin' },
  { flags: '--now <instant>', description: "start of the account's clock, ISO (default: the machine's time)" },
  { flags: '--speed <times>', description: 'clock speed; 0 stops the clock until it is set', default: '1' },
  {
    flags: '--life <duration>',
    description: 'time between two simulated user actions, such as 30s or 1m (default: no activity)',
  },
  { flags: '--quota <number>', description: 'requests a day; 0 for no limit', default: '6000' },
  { flags: '--per-minute <number>', description: 'requests a minute from one address (default: no limit)' },
  { flags: '--fault <name[=json]>', description: `switch a fault on, such as latency={"ms":200}`, repeated: true },
  { flags: '--quirk <name=value>', description: 'set a quirk, such as emptyList=null', repeated: true },
];

/** Option values as the command line gives them: texts under camel-case names. */
export type CommandValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Starts the simulator and prints how to use it. The caller stops it. */
export async function simulate(values: CommandValues, write: (text: string) => void): Promise<Simulator> {
  const simulator = await startSimulator(readSimulateOptions(values));
  write(describe(simulator));
  return simulator;
}

export function readSimulateOptions(values: CommandValues): SimulatorOptions {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string) => readNumber(name, text(name));
  const port = number('port') ?? 4010;
  const quota = number('quota');
  const life = text('life');
  return {
    port,
    controlPort: number('controlPort') ?? (port === 0 ? 0 : port + 1),
    host: text('host'),
    seed: number('seed'),
    tasks: number('tasks'),
    invoices: number('invoices'),
    projects: number('projects'),
    timeZone: text('timeZone'),
    now: text('now'),
    speed: number('speed'),
    quota: quota === 0 ? Number.POSITIVE_INFINITY : quota,
    perMinute: number('perMinute'),
    life: life === undefined ? undefined : readDuration('life', life),
    faults: readPairs(values.fault),
    quirks: readPairs(values.quirk),
  };
}

/** 500ms, 30s, 1m, 2h, 1d in milliseconds. */
export function readDuration(name: string, text: string): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[parts?.[2] ?? ''];
  if (parts === null || unit === undefined) {
    throw new RangeError(`--${name}: expected a duration such as 500ms, 30s, 1m or 2h, got '${text}'`);
  }
  return Number(parts[1]) * unit;
}

function describe(simulator: Simulator): string {
  const { url, controlUrl, tokens, account } = simulator;
  const count = (resource: 'task' | 'project' | 'invoice' | 'person') =>
    account.count(resource).toLocaleString('en-GB');
  const roles = Object.entries(tokens).map(([role, list]) => `  ${role.padEnd(14)} ${list.join('  ')}`);
  return [
    `The work-management API is simulated at ${url}`,
    `  ${count('task')} tasks, ${count('project')} projects, ${count('invoice')} invoices, ${count('person')} people; today is ${account.today()} in ${account.timeZone}`,
    '',
    'Tokens (HTTP Basic user name, any password):',
    ...roles,
    '',
    'Try it:',
    `  ${curlLine(simulator)}`,
    '',
    `Clock, faults and journal: ${controlUrl}/ (see docs/simulator.md)`,
    '',
  ].join('\n');
}

/** A request that works without changes. */
export function curlLine({ url, tokens }: Pick<Simulator, 'url' | 'tokens'>): string {
  return `curl -u ${tokens.Administrator[0]}:x -H 'Accept: application/json' '${url}/task/?limit=2&overdue=t'`;
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll(/[,_]/g, ''));
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new RangeError(`--${name}: expected a number, got '${text}'`);
  }
  return value;
}

/** name, name=text or name=JSON, once or several times. */
function readPairs(values: string | readonly string[] | undefined): Record<string, never> {
  const pairs = [values ?? []].flat().map((pair) => {
    const at = pair.indexOf('=');
    if (at < 0) return [pair, true];
    const text = pair.slice(at + 1);
    return [
      pair.slice(0, at),
      /^[{[\d-]|^(true|false|null)$/.test(text) && !text.includes('/') ? parse(pair, text) : text,
    ];
  });
  // Checked by name and value when the simulator starts.
  return Object.fromEntries(pairs) as Record<string, never>;
}

function parse(pair: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`${pair}: the part after = is not JSON`);
  }
}
