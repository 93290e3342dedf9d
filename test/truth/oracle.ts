/**
 * The oracle: predicts which events the journal implies, given which responses Tidings received and when. It is naive on
 * purpose: it replays the journal and, for each response, compares the true state of the account with the known state.
 *
 * It is exact for every event type of task, invoice, project, client and person. These runs do not read expense, document,
 * group and projectmodule. `restored` never occurs, because the simulator never reuses an id. fault-schedule.ts checks
 * `source.*`; other tests check custom event types and the `data` of events.
 *
 * It does not model the mass-deletion guard. It rejects a run in which the guard would act.
 */

import type { JournalEntry, Role } from '../../simulator/simulator.ts';
import { deriveFacts, type Facts, impliedEvents, isKept, type State } from './naive-rules.ts';
import type { ExpectedEvents, Moment, Observation, RawRecord, RecordedResponse } from './observation.ts';

export interface OracleInput {
  readonly timeZone: string;
  /** The user of the token. Users always see their own address. */
  readonly person: string;
  /** Records of the account at the start, by resource, as an Administrator sees them. */
  readonly founding: ReadonlyMap<string, readonly RawRecord[]>;
  readonly journal: readonly JournalEntry[];
  readonly moments: readonly Moment[];
  /** Periods in which the index of modified tasks lagged, and by how much. */
  readonly lateIndex: readonly { readonly from: string; readonly until: string; readonly ms: number }[];
}

export interface Prediction {
  readonly expected: readonly ExpectedEvents[];
  /** Scans that should have returned a record and did not: `task/7 at … by delta`. */
  readonly overlooked: readonly string[];
  /** When a day had changed records of a resource, and no scan confirmed them. */
  readonly waiting: readonly Waiting[];
}

export interface Waiting {
  readonly at: string;
  readonly resource: string;
}

/** How far a delta scan must reach back before the start of the last successful scan. */
const LOOKBACK_MS = 5 * 60_000;

const HIDDEN_FROM_EXECUTIVES = 'assigneeid assignees followers followerid ownerid owners'.split(' ');
const VISIBLE_TO_MANAGERS: Readonly<Record<string, readonly string[]>> = {
  invoice: ['datebegin', 'dateend'],
  project: ['description', 'alert_percent', 'alert_date', 'budget'],
  client: ['phone'],
  person:
    'title notes allprojects private username numlogins lastlogin timezone timezone_offset restricttasks cancomment'.split(
      ' ',
    ),
};

interface Known extends State {
  /** The day its facts are as of. */
  readonly day: string;
  readonly deleted: boolean;
  /** The state in which it was last seen, and by which role. If both are the same again, nothing changed. */
  readonly seen: RawRecord;
  readonly role: Role;
}

export function predictEvents(input: OracleInput): Prediction {
  return new Oracle(input).predict();
}

/** The id of the row that the simulator's fault `oddRow` adds. */
const INVALID_ID = '0';

class Oracle {
  readonly #input: OracleInput;
  readonly #dayOf: (instant: string) => string;
  /** The true state by resource and id, as of the last replayed journal entry. */
  readonly #truth = new Map<string, Map<string, RawRecord>>();
  readonly #known = new Map<string, Map<string, Known>>();
  /** When each task was last modified. */
  readonly #modified = new Map<string, number>();
  readonly #lastScan = new Map<string, number>();
  /** The start of the last scan after which time-driven changes were committed. */
  readonly #settled = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  readonly #open = new Set<string>();
  readonly #expected: ExpectedEvents[] = [];
  readonly #overlooked: string[] = [];
  #replayed = 0;
  #at = '';
  #today = '';

  constructor(input: OracleInput) {
    this.#input = input;
    this.#dayOf = dayInZone(input.timeZone);
    for (const [resource, records] of input.founding) {
      this.#truth.set(resource, new Map(records.map((record) => [String(record.id), record])));
      this.#known.set(resource, new Map());
    }
  }

  predict(): Prediction {
    for (const { at, observations } of this.#input.moments) {
      this.#at = at;
      this.#today = this.#dayOf(at);
      for (const observation of observations) this.#observe(observation);
      for (const resource of this.#known.keys()) if (this.#mustWait(resource)) this.#waiting.push({ at, resource });
    }
    return { expected: this.#expected, overlooked: this.#overlooked, waiting: this.#waiting };
  }

  #observe(observation: Observation): void {
    const { resource, kind, succeeded, complete, newIdentity, responses } = observation;
    const first = this.#lastScan.get(resource) === undefined;
    const returned = new Set<string>();
    for (const response of responses) {
      this.#replayTo(response.seq);
      for (const id of response.ids) {
        // The fault that adds a row with an invalid id: it is no record, and must cause no event.
        if (id === INVALID_ID) continue;
        returned.add(id);
        this.#see(resource, id, response.role, first || (newIdentity && !this.#knownOf(resource).has(id)));
      }
      // This counts even if the scan fails later: a sweep asks for a single record only after it read the whole list.
      const { missingId } = response;
      if (missingId !== null && kind === 'sweep' && !this.#truthOf(resource).has(missingId))
        this.#delete(resource, missingId);
    }
    if (!succeeded) return;
    if (complete) this.#requireReturned(observation, returned);
    if (complete && kind === 'sweep') this.#deleteMissing(resource, returned, newIdentity);
    if (complete || first) this.#lastScan.set(resource, Date.parse(this.#at));
    if (resource === 'invoice') this.#rememberOpen();
    if (observation.settled) this.#settle(resource);
  }

  #replayTo(seq: number): void {
    for (; this.#replayed < seq; this.#replayed++) {
      const entry = this.#input.journal[this.#replayed];
      if (entry === undefined) throw new Error(`the journal ends before entry ${seq}`);
      const truth = this.#truth.get(entry.resource);
      if (truth === undefined) continue;
      if (entry.after === null) truth.delete(entry.id);
      else truth.set(entry.id, entry.after);
      const stamped = entry.before?.datemodified !== entry.after?.datemodified;
      if (entry.resource === 'task' && stamped) this.#modified.set(entry.id, Date.parse(entry.at));
    }
  }

  #see(resource: string, id: string, role: Role, silent: boolean): void {
    const seen = this.#truthOf(resource).get(id);
    if (seen === undefined) throw new Error(`${resource}/${id} was returned at ${this.#at}, but is not in the journal`);
    const before = this.#knownOf(resource).get(id);
    if (before !== undefined && !before.deleted && before.seen === seen && before.role === role) return;
    if (before?.deleted === true) throw new Error(`${resource}/${id} is back, which the simulated account never does`);
    const fields = { ...before?.fields, ...this.#visible(resource, seen, role) };
    // A response that shows nothing new is no change: time-driven changes wait for the end of the scan.
    if (before !== undefined && !isKept(resource, before.fields, fields)) {
      this.#knownOf(resource).set(id, { ...before, fields, seen, role });
      return;
    }
    const day = silent ? this.#today : this.#dayOfChange(resource, before?.fields, fields);
    const facts = deriveFacts(resource, fields, day, this.#dayOf);
    const after = { fields, facts, deleted: false, seen, role, day };
    this.#knownOf(resource).set(id, after);
    if (!silent) this.#expect(`${resource}/${id}`, impliedEvents(resource, before ?? null, { fields, facts }));
    this.#passDays(resource, id, after);
  }

  /** The day a change is judged by: that of its own date, if it has one that is not settled yet. */
  #dayOfChange(resource: string, before: RawRecord | undefined, fields: RawRecord): string {
    const settled = this.#settled.get(resource);
    const { datemodified } = fields;
    const isDated = resource === 'task' && typeof datemodified === 'string' && datemodified !== before?.datemodified;
    if (!isDated || settled === undefined) return this.#today;
    const changed = Date.parse(`${datemodified.replace(' ', 'T').slice(0, 19)}Z`);
    return this.#dayOf(new Date(Math.min(Date.parse(this.#at), Math.max(changed, settled))).toISOString());
  }

  #delete(resource: string, id: string, silent = false): void {
    const known = this.#knownOf(resource).get(id);
    if (known === undefined || known.deleted) return;
    this.#knownOf(resource).set(id, { ...known, deleted: true });
    if (!silent) this.#expect(`${resource}/${id}`, [`${resource}.deleted`]);
  }

  #deleteMissing(resource: string, returned: ReadonlySet<string>, silent: boolean): void {
    const known = this.#knownOf(resource);
    const missing = [...known].filter(
      ([id, { deleted }]) => !deleted && !returned.has(id) && !this.#truthOf(resource).has(id),
    );
    if (missing.length > 10 && missing.length > known.size / 20) {
      throw new Error(
        `${missing.length} of ${resource} vanished at ${this.#at}: the oracle does not model the mass-deletion guard`,
      );
    }
    for (const [id] of missing) this.#delete(resource, id, silent);
  }

  /** A scan has confirmed the records: each day since may have changed them without an edit. */
  #settle(resource: string): void {
    this.#settled.set(resource, Date.parse(this.#at));
    for (const [id, known] of this.#knownOf(resource)) if (!known.deleted) this.#passDays(resource, id, known);
  }

  #passDays(resource: string, id: string, known: Known): void {
    let before = known;
    while (before.day < this.#today) {
      const day = dayAfter(before.day);
      const facts = deriveFacts(resource, before.fields, day, this.#dayOf);
      this.#expect(`${resource}/${id}`, impliedEvents(resource, before, { fields: before.fields, facts }));
      before = { ...before, facts, day };
    }
    this.#knownOf(resource).set(id, before);
  }

  /** Time-driven changes wait while a deletion or creation is not known: then only a sweep confirms. */
  #mustWait(resource: string): boolean {
    const isPending = ([, { deleted, fields, facts, day }]: [string, Known]) =>
      !deleted && day < this.#today && !sameFacts(facts, deriveFacts(resource, fields, this.#today, this.#dayOf));
    return [...this.#knownOf(resource)].some(isPending) && this.#isWholeKnown(resource);
  }

  /** Whether the account has exactly the records that are known. */
  #isWholeKnown(resource: string): boolean {
    const known = [...this.#knownOf(resource)].filter(([, { deleted }]) => !deleted).map(([id]) => id);
    const truth = this.#truthOf(resource);
    return known.length === truth.size && known.every((id) => truth.has(id));
  }

  #expect(subject: string, types: readonly string[]): void {
    if (types.length > 0) this.#expected.push({ at: this.#at, subject, types });
  }

  /** A scan that reports itself complete must have returned these records. */
  #requireReturned({ resource, kind, responses }: Observation, returned: ReadonlySet<string>): void {
    for (const id of this.#requiredIds(resource, kind, responses)) {
      if (!returned.has(id)) this.#overlooked.push(`${resource}/${id} at ${this.#at} by ${kind}`);
    }
  }

  #requiredIds(resource: string, kind: Observation['kind'], responses: readonly RecordedResponse[]): string[] {
    const truth = this.#truthOf(resource);
    if (responses.length === 0) return [];
    if (kind === 'sweep') return [...truth.keys()];
    if (kind === 'open') {
      const isOpen = ({ datepaid }: RawRecord) => datepaid === null || datepaid === '';
      return [...truth].filter(([id, record]) => isOpen(record) || this.#open.has(id)).map(([id]) => id);
    }
    const since = (this.#lastScan.get(resource) ?? 0) - LOOKBACK_MS;
    const now = Date.parse(this.#at);
    return [...this.#modified]
      .filter(([id, at]) => truth.has(id) && at > since && at + this.#indexDelay(at) <= now)
      .map(([id]) => id);
  }

  #indexDelay(at: number): number {
    const late = this.#input.lateIndex.find(({ from, until }) => Date.parse(from) <= at && at <= Date.parse(until));
    return late?.ms ?? 0;
  }

  /** Remembers invoices that were unpaid in the last scan. Once paid, the next open scan must return them once more. */
  #rememberOpen(): void {
    this.#open.clear();
    for (const [id, { fields, deleted }] of this.#knownOf('invoice')) {
      if (!deleted && (fields.datepaid === null || fields.datepaid === '')) this.#open.add(id);
    }
  }

  #visible(resource: string, record: RawRecord, role: Role): RawRecord {
    const hidden = new Set<string>();
    const isStaff = role === 'Administrator' || role === 'Manager';
    if (resource === 'task' && role === 'Executive') for (const field of HIDDEN_FROM_EXECUTIVES) hidden.add(field);
    if (!isStaff) for (const field of VISIBLE_TO_MANAGERS[resource] ?? []) hidden.add(field);
    if (resource === 'person') {
      if (role !== 'Administrator') hidden.add('hourlyrate');
      if (!isStaff && record.private === 't' && record.id !== this.#input.person) hidden.add('email');
    }
    return Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.has(field)));
  }

  #truthOf(resource: string): Map<string, RawRecord> {
    return this.#truth.get(resource) ?? new Map();
  }

  #knownOf(resource: string): Map<string, Known> {
    return this.#known.get(resource) ?? new Map();
  }
}

function sameFacts(a: Facts, b: Facts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** Returns a function from an instant to the calendar day in the zone. */
export function dayInZone(timeZone: string): (instant: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (instant) => format.format(Date.parse(instant));
}
