/**
 * The seeded schedule of faults of a run, and which `source.*` events each fault explains. Faults do not overlap, so that each
 * `source.*` event has at most one cause.
 */

import type { Role, Simulator } from '../../simulator/simulator.ts';
import { seededRandom } from './seeded-random.ts';

type Faults = Parameters<Simulator['setFaults']>[0];

export interface ScheduledFault {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  /** Faults of the simulator. */
  readonly faults?: Faults;
  /** Role of the token. */
  readonly role?: Role;
  /** Exhausts the daily quota at the start. */
  readonly quota?: true;
  /** Tidings does not run. */
  readonly off?: true;
  /** From its start the token is that of another Administrator. */
  readonly swapsToken?: true;
  /** What the token's person sees changes during the fault, see changing-sight.ts. @default - nothing is hidden */
  readonly sight?: 'project' | 'own tasks';
  /** What it may delay. @default - everything */
  readonly delays?: Delays;
  /** Small pages, so that a list of a small account has several. */
  readonly pageSize?: number;
  /** Events that it must cause, once each. */
  readonly required: readonly string[];
  /** Events that it may cause, once each. */
  readonly allowed: readonly string[];
  /** Milliseconds after its end in which it still explains events and scan gaps. */
  readonly graceMs: number;
}

/**
 * `nothing`: every event is in time. `sweeps`: only what a sweep alone shows may be late. `moments`: only what time alone
 * causes may be.
 */
type Delays = 'everything' | 'sweeps' | 'moments' | 'nothing';

/** What brings an event: a light scan, a sweep, or time alone. */
type Cause = 'scan' | 'sweep' | 'moment';

export interface SourceEvent {
  readonly type: string;
  readonly at: string;
  /** The resources of the event; empty for the whole source. */
  readonly resources: readonly string[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Draft = Omit<ScheduledFault, 'from' | 'until' | 'graceMs'> & { readonly hours: readonly [number, number] };

const OUTAGE = {
  required: ['source.unreachable', 'source.recovered'],
  allowed: ['source.unconfirmed'],
  hours: [4, 9],
} as const;
const FLAKY = {
  required: [],
  allowed: [
    'source.unreachable',
    'source.recovered',
    'source.stale',
    'source.deletions_undecided',
    'source.unconfirmed',
  ],
  hours: [3, 10],
} as const;
const CHANGING_LIST = { required: [], allowed: [], hours: [8, 20], pageSize: 40 } as const;
const SILENT = { required: [], allowed: [], hours: [10, 30], delays: 'nothing' } as const;
const LISTS = ['task', 'invoice'];

const DRAFTS: readonly Draft[] = [
  { name: 'answers 500', faults: { serverError: true }, ...OUTAGE },
  { name: 'records deleted between pages', faults: betweenPages('delete'), ...CHANGING_LIST },
  {
    name: 'role Executive',
    role: 'Executive',
    required: ['source.forbidden', 'source.role_changed'],
    allowed: ['source.deletions_undecided'],
    hours: [5, 30],
  },
  {
    name: 'quota used up',
    quota: true,
    required: ['source.quota_exhausted'],
    allowed: ['source.quota_low'],
    hours: [12, 24],
  },
  {
    name: 'index late',
    faults: { lateModified: { ms: 230_000, mode: 'index' } },
    ...SILENT,
  },
  { name: 'answers 502 in HTML', faults: { htmlPage: { status: 502 } }, ...OUTAGE },
  {
    name: 'counts one more than it lists',
    faults: { wrongCount: { by: 1, resource: [...LISTS, 'project'] } },
    ...SILENT,
    allowed: ['source.incomplete', 'source.stale', 'source.deletions_undecided'],
    delays: 'sweeps',
  },
  { name: 'small pages', faults: { smallPages: { rows: 30 } }, ...SILENT },
  { name: 'replicas lag by seconds', faults: { replicaLag: { ms: 40_000 } }, ...SILENT },
  { name: 'a row with the id 0', faults: { oddRow: { row: 'invalid' } }, ...SILENT },
  { name: 'records created between pages', faults: betweenPages('create'), ...CHANGING_LIST },
  { name: 'bodies cut off now and then', faults: { cutBody: { probability: 0.4 } }, ...FLAKY },
  {
    name: 'role Resource',
    role: 'Resource',
    required: ['source.forbidden', 'source.role_changed'],
    allowed: ['source.deletions_undecided'],
    hours: [5, 30],
  },
  {
    name: 'full lists answer 500',
    faults: { serverError: { unfiltered: true, resource: LISTS } },
    required: ['source.stale'],
    allowed: [],
    hours: [34, 44],
    delays: 'sweeps',
  },
  {
    name: 'another token after an outage',
    faults: { serverError: true },
    swapsToken: true,
    ...OUTAGE,
    required: [...OUTAGE.required, 'source.role_changed'],
    hours: [6, 20],
  },
  { name: 'an unpaid invoice is not listed', faults: { missingRow: { id: 0, filter: 'status' } }, ...SILENT },
  { name: 'Tidings is off', off: true, required: [], allowed: [], hours: [14, 60] },
  { name: 'half of every body', faults: { truncate: true }, ...OUTAGE },
  { name: 'fails now and then', faults: { serverError: { status: 503, code: 20, probability: 0.5 } }, ...FLAKY },
  { name: 'a firewall answers 403 in HTML', faults: { htmlPage: { status: 403 } }, ...OUTAGE },
  { name: 'a row twice', faults: { oddRow: { row: 'repeated' } }, ...SILENT },
  {
    name: 'a role without a name',
    faults: { unnamedGroup: true },
    ...SILENT,
    allowed: ['source.deletions_undecided'],
  },
  {
    name: 'role Manager',
    role: 'Manager',
    required: ['source.role_changed'],
    allowed: ['source.deletions_undecided'],
    hours: [5, 30],
  },
  {
    name: 'a person joins a project and leaves it',
    role: 'Manager',
    sight: 'project',
    required: ['source.role_changed'],
    allowed: ['source.deletions_undecided'],
    hours: [32, 44],
  },
  {
    name: 'the API’s clock is hours behind',
    faults: { clockOffset: { ms: -3 * HOUR } },
    required: ['source.clock_skewed'],
    allowed: [],
    hours: [20, 40],
    delays: 'moments',
  },
  { name: 'answers 200 in HTML', faults: { htmlPage: { status: 200 } }, ...OUTAGE },
  {
    name: 'a restriction to own tasks is lifted',
    role: 'Resource',
    sight: 'own tasks',
    required: ['source.forbidden', 'source.role_changed'],
    allowed: ['source.deletions_undecided'],
    hours: [24, 40],
  },
  {
    name: 'the API’s clock is minutes ahead',
    faults: { clockOffset: { ms: 4 * 60_000 } },
    ...SILENT,
    required: ['source.clock_skewed'],
  },
  { name: 'bodies cut off', faults: { cutBody: true }, ...OUTAGE },
];

function betweenPages(change: 'create' | 'delete'): Faults {
  return { betweenPages: { change, resource: LISTS, probability: 0.25 } };
}

/**
 * All kinds of faults one after the other, with more than a day without faults between them. The first contact fails: the
 * zone stays unknown until the API responds.
 * @param names the kinds of faults. @default - all
 */
export function scheduleFaults(
  seed: number,
  from: number,
  until: number,
  names?: readonly string[],
): readonly ScheduledFault[] {
  const { unit } = seededRandom(seed);
  const drafts = DRAFTS.filter(({ name }) => names === undefined || names.includes(name));
  const firstEnd = from + 5.5 * HOUR;
  const { hours: _, ...outage } = OUTAGE;
  const first = { name: 'the first contact fails', faults: { serverError: true }, ...outage };
  const schedule: ScheduledFault[] = [{ ...first, from, until: firstEnd, graceMs: 3 * HOUR }];
  let at = from + 16 * HOUR;
  for (let turn = Math.floor(unit() * drafts.length); ; turn++) {
    const { hours, ...draft } = drafts[turn % drafts.length] ?? fail();
    const start = at + unit() * 8 * HOUR;
    const end = draft.quota === true ? nextReset(start) : start + (hours[0] + unit() * (hours[1] - hours[0])) * HOUR;
    if (end + 2 * DAY > until) return schedule;
    // Skip a fault so close to the quota reset that no poll would notice it.
    if (end - start > 2 * HOUR) {
      schedule.push({ ...draft, from: start, until: end, graceMs: 3 * HOUR });
    }
    at = end + 32 * HOUR;
  }
}

/** Starts and ends the faults that are due. Returns the active fault. */
export function applySchedule(
  schedule: readonly ScheduledFault[],
  before: ScheduledFault | undefined,
  now: number,
  simulator: Simulator,
  token: string,
): ScheduledFault | undefined {
  const next = schedule.find(({ from, until }) => from <= now && now < until);
  if (next === before) return before;
  for (const name of Object.keys(before?.faults ?? {})) simulator.setFaults({ [name]: false });
  if (before?.role !== undefined) simulator.setRole(token, undefined);
  if (next?.faults !== undefined) simulator.setFaults(withTargets(next.faults, simulator));
  if (next?.role !== undefined) simulator.setRole(token, next.role);
  if (next?.quota === true) simulator.quota.reset(simulator.quota.quota);
  return next;
}

/** Faults that concern one record: an unpaid invoice. */
function withTargets(faults: Faults, { account }: Simulator): Faults {
  const { missingRow } = faults;
  if (typeof missingRow !== 'object') return faults;
  const owed = account.list('invoice', { status: 'outstanding' }).filter(({ balance }) => Number(balance) > 0);
  // The next one that becomes due.
  const today = account.today();
  const [invoice] = owed.toSorted((a, b) => Number(String(a.datedue) < today) - Number(String(b.datedue) < today));
  return { ...faults, missingRow: { ...missingRow, id: Number(invoice?.id ?? 1) } };
}

/** Whether a fault between the two instants explains that something was late. */
export function isDelayed(
  schedule: readonly Pick<ScheduledFault, 'from' | 'until' | 'graceMs' | 'delays'>[],
  from: number,
  until: number,
  cause: Cause,
): boolean {
  return schedule.some(
    ({ delays = 'everything', ...fault }) =>
      fault.from <= until && from <= fault.until + fault.graceMs && (delays === 'everything' || delays === `${cause}s`),
  );
}

/** By how much the dates of the API's responses were ahead of its clock during the fault, negative: behind. */
export function clockOffsetOf(fault: ScheduledFault | undefined): number {
  const offset = fault?.faults?.clockOffset;
  return typeof offset === 'object' ? offset.ms : 0;
}

/** How far the API's answers lagged behind at that instant. */
export function lagAt(schedule: readonly ScheduledFault[], at: number): number {
  const { replicaLag } = schedule.find((fault) => fault.from <= at && at <= fault.until + fault.graceMs)?.faults ?? {};
  return typeof replicaLag === 'object' ? replicaLag.ms : 0;
}

/** Finds `source.*` events that are unexplained, duplicated or missing. */
export function checkSourceEvents(
  schedule: readonly ScheduledFault[],
  emitted: readonly SourceEvent[],
): readonly string[] {
  const wrong: string[] = [];
  const explained = new Map<ScheduledFault, string[]>(schedule.map((fault) => [fault, []]));
  const baselined = emitted.find(({ type }) => type === 'source.baselined');
  if (baselined === undefined) wrong.push('source.baselined is missing');
  for (const event of emitted) {
    const { type, at, resources } = event;
    if (event === baselined) continue;
    const when = Date.parse(at);
    const fault = schedule.find(({ from, until, graceMs }) => from <= when && when <= until + graceMs);
    const types = fault === undefined ? undefined : explained.get(fault);
    // A role changes when the fault begins, and back when it ends.
    const key = type === 'source.role_changed' ? `${type} ${when < (fault?.until ?? 0)}` : keyOf(type, resources);
    if (fault === undefined || types === undefined) wrong.push(`${type} at ${at}: no fault explains it`);
    else if (types.includes(key)) wrong.push(`${type} at ${at}: twice during '${fault.name}'`);
    else if (![...fault.required, ...fault.allowed].includes(type)) wrong.push(`${type} at ${at} of '${fault.name}'`);
    types?.push(type, key);
  }
  for (const [fault, types] of explained) {
    for (const type of fault.required.filter((one) => !types.includes(one))) {
      wrong.push(`${type} is missing: '${fault.name}' from ${new Date(fault.from).toISOString()}`);
    }
    if (types.includes('source.unreachable') !== types.includes('source.recovered')) {
      wrong.push(`'${fault.name}' from ${new Date(fault.from).toISOString()}: unreachable or recovered alone`);
    }
  }
  return wrong;
}

/** An event is expected once per resource, because each resource becomes stale separately. */
function keyOf(type: string, resources: readonly string[]): string {
  return `${type} ${resources.join()}`;
}

function nextReset(at: number): number {
  return Math.ceil(at / DAY) * DAY;
}

function fail(): never {
  throw new Error('no faults to choose from');
}
