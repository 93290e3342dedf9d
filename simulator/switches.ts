/**
 * Every quirk and fault of the service as a switch with a default, and the validation of its values.
 * The code that builds the response implements them.
 */
import { RESOURCES, ROLES, type Role } from './resources/resource.ts';
import type { Style } from './resources/wire.ts';

/** Variants of the service's behaviour; each always has one value. */
export interface Quirks extends Style {
  /** An empty list comes as `[]`, as null, or without the key. */
  emptyList: 'array' | 'null' | 'missing';
  /** `code`, `listcount` and error codes as numbers or as strings. */
  envelopeNumbers: 'number' | 'string';
  /** 201 and 202 for POST and PUT, or 200 for both. */
  success: '201/202' | '200';
  /** `/quota/` with strings and `next_reset`, or with numbers and `business_day` as older copies have it. */
  quotaShape: 'current' | 'older';
  /** Whether logging time on a task updates its `datemodified`. */
  hoursModify: boolean;
}

export const QUIRKS: Readonly<Quirks> = {
  entities: true,
  blanks: 'mixed',
  mailto: false,
  dates: 'plain',
  amounts: 'plain',
  emptyList: 'array',
  envelopeNumbers: 'number',
  success: '201/202',
  quotaShape: 'current',
  hoursModify: true,
};

/** Which requests a fault applies to. @default - all */
interface Aim {
  /** Only requests for these resources. @default - all */
  resource?: string | readonly string[];
  /** Only requests with this method. @default - all */
  method?: string;
  /** Only lists without a filter. Sorting and paging are no filters. @default false */
  unfiltered?: boolean;
  /** Number of times; after that the fault is switched off. @default - no limit */
  count?: number;
  /** Probability, 0 to 1, seeded. @default 1 */
  probability?: number;
}

export interface Faults {
  /** Delays the response. */
  latency?: Aim & { ms: number };
  /** Responds with an error of the service; with `after`, after the write took effect. */
  serverError?: Aim & { status?: number; code?: number; after?: boolean };
  /** Announces the whole body and closes the connection in the middle of it. */
  cutBody?: Aim;
  /** Sends half of the body as if it were complete. */
  truncate?: Aim;
  /** Sends an HTML page, as a proxy does when the service is down. */
  htmlPage?: Aim & { status?: number };
  /** Sends the body in pieces with pauses between them. */
  drip?: Aim & { ms: number; bytes?: number };
  /** Accepts the request and never responds. */
  hang?: Aim;
  /** Adds this number to `listcount`. */
  wrongCount?: Aim & { by: number };
  /** A page of a list has no more rows than this, whatever `limit` says. */
  smallPages?: Aim & { rows: number };
  /** Lists begin with a row whose id is 0, or with their first row twice. */
  oddRow?: Aim & { row: 'invalid' | 'repeated' };
  /** Between two pages of one reader a record is created, or one they have already read is deleted. */
  betweenPages?: Aim & { change: 'create' | 'delete' };
  /** Stamps task changes with an older time (`stamp`), or hides them from modified-since filters for a while (`index`). */
  lateModified?: { ms: number; mode?: 'stamp' | 'index' };
  /** Lists and records come from a replica that lags behind: as they were this long ago, but not before the fault began. */
  replicaLag?: Aim & { ms: number };
  /** The token sees neither this project nor the records that belong to it: they are not listed, and answer 404. */
  lostProject?: Aim & { project: number };
  /** Lists with this filter omit one record and do not count it. Other lists show it, and so does its own address. */
  missingRow?: Aim & { id: number; filter?: string };
  /** `/me/` and people do not name their group, only its id. */
  unnamedGroup?: Aim;
  /** The `Date` header differs from the account's clock: ahead of it, or behind if negative. */
  clockOffset?: Aim & { ms: number };
  /** Treats the token as if it had another role. */
  role?: Aim & { to: Role; token?: string };
}

export type FaultName = keyof Faults;

/** The value of a fault that is switched on with `true`. */
const DEFAULT_SETTINGS: { [Name in FaultName]-?: NonNullable<Faults[Name]> } = {
  latency: { ms: 1000 },
  serverError: { status: 500, code: 19 },
  cutBody: {},
  truncate: {},
  htmlPage: { status: 502 },
  drip: { ms: 20, bytes: 1024 },
  hang: {},
  wrongCount: { by: -1 },
  smallPages: { rows: 100 },
  oddRow: { row: 'invalid' },
  betweenPages: { change: 'delete' },
  lateModified: { ms: 60_000, mode: 'index' },
  replicaLag: { ms: 600_000 },
  lostProject: { project: 1 },
  missingRow: { id: 1, filter: 'status' },
  unnamedGroup: {},
  clockOffset: { ms: 240_000 },
  role: { to: 'Resource' },
};

export const FAULT_NAMES = Object.keys(DEFAULT_SETTINGS) as FaultName[];

/** Values each setting takes. */
const AIM = ['resource', 'method', 'unfiltered', 'count', 'probability'];
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  entities: [true, false],
  mailto: [true, false],
  blanks: ['mixed', 'null', 'empty'],
  dates: ['plain', 'zero', 'timed'],
  amounts: ['plain', 'grouped'],
  emptyList: ['array', 'null', 'missing'],
  envelopeNumbers: ['number', 'string'],
  success: ['201/202', '200'],
  quotaShape: ['current', 'older'],
  hoursModify: [true, false],
  change: ['create', 'delete'],
  row: ['invalid', 'repeated'],
  mode: ['stamp', 'index'],
  after: [true, false],
  unfiltered: [true, false],
  to: ROLES,
};

/** Validates faults from HTTP or the command line. A setting of false or null switches a fault off. */
export function readFaults(sent: unknown): { [Name in FaultName]?: Faults[Name] | undefined } {
  const faults: Record<string, unknown> = {};
  for (const [name, setting] of entriesOf(sent, 'faults')) {
    if (!isFaultName(name)) throw new RangeError(`faults: expected one of ${FAULT_NAMES.join(', ')}, got '${name}'`);
    if (setting === false || setting === null) faults[name] = undefined;
    else if (setting === true) faults[name] = DEFAULT_SETTINGS[name];
    else faults[name] = { ...DEFAULT_SETTINGS[name], ...readSetting(name, setting) };
  }
  return faults;
}

export function readQuirks(sent: unknown): Partial<Quirks> {
  const quirks: Record<string, unknown> = {};
  for (const [name, value] of entriesOf(sent, 'quirks')) {
    if (!Object.hasOwn(QUIRKS, name)) {
      throw new RangeError(`quirks: expected one of ${Object.keys(QUIRKS).join(', ')}, got '${name}'`);
    }
    quirks[name] = checkChoice(`quirks.${name}`, name, value);
  }
  return quirks;
}

function readSetting(fault: FaultName, setting: unknown): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  const aims = fault === 'lateModified' ? [] : AIM;
  for (const [name, value] of entriesOf(setting, `faults.${fault}`)) {
    const where = `faults.${fault}.${name}`;
    if (
      !aims.includes(name) &&
      !(name in DEFAULT_SETTINGS[fault]) &&
      !(name === 'token' && fault === 'role') &&
      !(name === 'after' && fault === 'serverError')
    ) {
      throw new RangeError(`${where}: there is no such setting`);
    }
    read[name] = checkValue(where, name, value);
  }
  return read;
}

function checkValue(where: string, name: string, value: unknown): unknown {
  if (name === 'resource') {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!RESOURCES.some((resource) => resource === one))
        throw new RangeError(`${where}: there is no resource '${one}'`);
    }
    return value;
  }
  if (name === 'method' || name === 'token' || name === 'filter') return String(value);
  if (name in CHOICES) return checkChoice(where, name, value);
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new RangeError(`${where}: expected a number, got ${JSON.stringify(value)}`);
  }
  if (name === 'probability' && (value < 0 || value > 1))
    throw new RangeError(`${where}: expected 0 to 1, got ${value}`);
  return value;
}

function checkChoice(where: string, name: string, value: unknown): unknown {
  const choices = CHOICES[name] ?? [];
  // Compared as text: a command line cannot distinguish 200 from '200'.
  const chosen = choices.find((choice) => String(choice) === String(value));
  if (chosen !== undefined) return chosen;
  throw new RangeError(`${where}: expected one of ${choices.join(', ')}, got ${JSON.stringify(value)}`);
}

function entriesOf(value: unknown, where: string): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw new RangeError(`${where}: expected an object, got ${JSON.stringify(value)}`);
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(DEFAULT_SETTINGS, name);
}
