/**
 * What goes wrong in a run, when, and which `source.*` events it explains. A schedule from a seed; the schedule keep apart,
 * so that each event of a source has one fault it can come from.
 */

import type { Role, Simulator } from '../../simulator/simulator.ts';
import { seededRandom } from './seeded-random.ts';

type Faults = Parameters<Simulator['setFaults']>[0];

export interface ScheduledFault {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  /** Faults that are on meanwhile. */
  readonly faults?: Faults;
  /** The token has this role meanwhile. */
  readonly role?: Role;
  /** The day's requests are used up when it begins. */
  readonly quota?: true;
  /** Small pages, so that a list of a small account has something to turn. */
  readonly pageSize?: number;
  /** Events that must come of it, once each. */
  readonly required: readonly string[];
  /** Events that may come of it, once each. */
  readonly allowed: readonly string[];
  /** How long after its end it can still explain silence. */
  readonly graceMs: number;
}

export interface SourceEvent {
  readonly type: string;
  readonly at: string;
  /** The resources it is about; empty when it is about the whole source. */
  readonly resources: readonly string[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Draft = Omit<ScheduledFault, 'from' | 'until' | 'graceMs'> & { readonly hours: readonly [number, number] };

const OUTAGE = { required: ['source.unreachable', 'source.recovered'], allowed: [], hours: [4, 9] } as const;
const FLAKY = {
  required: [],
  allowed: ['source.unreachable', 'source.recovered', 'source.stale'],
  hours: [3, 10],
} as const;
const CHANGING_LIST = { required: [], allowed: [], hours: [8, 20], pageSize: 40 } as const;
const LISTS = ['task', 'invoice'];

const DRAFTS: readonly Draft[] = [
  { name: 'answers 500', faults: { serverError: true }, ...OUTAGE },
  { name: 'records deleted between pages', faults: betweenPages('delete'), ...CHANGING_LIST },
  { name: 'role Executive', role: 'Executive', required: ['source.forbidden'], allowed: [], hours: [5, 30] },
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
    required: [],
    allowed: [],
    hours: [10, 30],
  },
  { name: 'answers 502 in HTML', faults: { htmlPage: { status: 502 } }, ...OUTAGE },
  { name: 'records created between pages', faults: betweenPages('create'), ...CHANGING_LIST },
  { name: 'bodies cut off now and then', faults: { cutBody: { probability: 0.4 } }, ...FLAKY },
  { name: 'role Resource', role: 'Resource', required: ['source.forbidden'], allowed: [], hours: [5, 30] },
  { name: 'half of every body', faults: { truncate: true }, ...OUTAGE },
  { name: 'fails now and then', faults: { serverError: { status: 503, code: 20, probability: 0.5 } }, ...FLAKY },
  { name: 'a firewall answers 403 in HTML', faults: { htmlPage: { status: 403 } }, ...OUTAGE },
  { name: 'role Manager', role: 'Manager', required: [], allowed: [], hours: [5, 30] },
  { name: 'answers 200 in HTML', faults: { htmlPage: { status: 200 } }, ...OUTAGE },
  { name: 'bodies cut off', faults: { cutBody: true }, ...OUTAGE },
];

function betweenPages(change: 'create' | 'delete'): Faults {
  return { betweenPages: { change, resource: LISTS, probability: 0.25 } };
}

/** One after the other, all kinds in turn, with more than a day of quiet between them. */
export function scheduleFaults(seed: number, from: number, until: number): readonly ScheduledFault[] {
  const { unit } = seededRandom(seed);
  const schedule: ScheduledFault[] = [];
  let at = from + 10 * HOUR;
  for (let turn = Math.floor(unit() * DRAFTS.length); ; turn++) {
    const { hours, ...draft } = DRAFTS[turn % DRAFTS.length] ?? fail();
    const start = at + unit() * 8 * HOUR;
    const end = draft.quota === true ? nextReset(start) : start + (hours[0] + unit() * (hours[1] - hours[0])) * HOUR;
    if (end + 2 * DAY > until) return schedule;
    // So shortly before the reset that no poll would notice: not this time.
    if (end - start > 2 * HOUR) {
      schedule.push({ ...draft, from: start, until: end, graceMs: 3 * HOUR });
    }
    at = end + 32 * HOUR;
  }
}

/** Begins and ends what is due; returns the fault that is on. */
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
  if (next?.faults !== undefined) simulator.setFaults(next.faults);
  if (next?.role !== undefined) simulator.setRole(token, next.role);
  if (next?.quota === true) simulator.quota.reset(simulator.quota.quota);
  return next;
}

/** What is wrong with the events of the source: unexplained, twice, or missing. */
export function checkSourceEvents(
  schedule: readonly ScheduledFault[],
  told: readonly SourceEvent[],
): readonly string[] {
  const wrong: string[] = [];
  const explained = new Map<ScheduledFault, string[]>(schedule.map((fault) => [fault, []]));
  for (const [index, { type, at, resources }] of told.entries()) {
    if (index === 0 && type === 'source.baselined') continue;
    const when = Date.parse(at);
    const fault = schedule.find(({ from, until, graceMs }) => from <= when && when <= until + graceMs);
    const types = fault === undefined ? undefined : explained.get(fault);
    if (fault === undefined || types === undefined) wrong.push(`${type} at ${at}: nothing explains it`);
    else if (types.includes(nameOf(type, resources))) wrong.push(`${type} at ${at}: twice of '${fault.name}'`);
    else if (![...fault.required, ...fault.allowed].includes(type)) wrong.push(`${type} at ${at} of '${fault.name}'`);
    types?.push(type, nameOf(type, resources));
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

/** Said once of each resource: one that is stale says nothing of the next. */
function nameOf(type: string, resources: readonly string[]): string {
  return `${type} ${resources.join()}`;
}

function nextReset(at: number): number {
  return Math.ceil(at / DAY) * DAY;
}

function fail(): never {
  throw new Error('there are no schedule to choose from');
}
