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
import { type Calendar, type DayRules, dayAfter, dayInZone, midnightsIn } from './calendar.ts';
import { deriveFacts, type Facts, keepAnnounced, keepFacts, type State, sameFacts } from './naive-facts.ts';
import {
  impliedByAppearance,
  impliedEvents,
  isKept,
  isUpdated,
  judgeNovelty,
  lastActiveDay,
  received,
} from './naive-rules.ts';
import type { ExpectedEvents, Moment, Observation, RawRecord, RecordedResponse, TrueInstants } from './observation.ts';
import { inOrderOfReceipt } from './receipt-order.ts';
import { type LateIndex, RequiredRecords } from './required-records.ts';
import { TrueAccount } from './true-account.ts';
import { BY_TIME, findTrueInstants } from './true-instants.ts';
import { visibleFields } from './visible-fields.ts';

export interface OracleInput {
  /** The zone of the account, in which the API computes the status of invoices. */
  readonly timeZone: string;
  /** Records of the account at the start, by resource, as an Administrator sees them. */
  readonly founding: ReadonlyMap<string, readonly RawRecord[]>;
  readonly journal: readonly JournalEntry[];
  readonly moments: readonly Moment[];
  readonly lateIndex: readonly LateIndex[];
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

interface Known extends State {
  /** The day its facts are as of. */
  readonly day: string;
  readonly deleted: boolean;
  /** Deleted without an event, because it may only be out of sight: if it is shown again, that is no event either. */
  readonly lost: boolean;
  /** When it was first shown, or shown again. */
  readonly appearedAt: string;
  readonly isBack: boolean;
  /** The state in which it was last seen, and by which role. If both are the same again, nothing changed. */
  readonly seen: RawRecord;
  readonly role: Role;
  /** When a response last changed it. */
  readonly committedAt: string;
  /** The account's day on which it was last seen. */
  readonly seenOn: string;
  /** By field: the number of the last journal entry when a response showed it. */
  readonly shown: Readonly<Record<string, number>>;
}

/** What is known of a scan while its responses come. */
interface Reading {
  /** No scan of the resource succeeded before. */
  readonly isFirst: boolean;
  /** What appears or disappears may only have come into sight, or gone out of it. */
  readonly isOtherSight: boolean;
  /** The place of the last response after which what was not found before is not proven; -1: there is none. */
  readonly lastUnconfirmed: number;
  /** The ids of the records that it was shown. */
  readonly returned: Set<string>;
}

export function predictEvents(input: OracleInput): Prediction {
  return new Oracle(input).predict();
}

/** The id of the row that the simulator's fault `oddRow` adds. */
const INVALID_ID = '0';

const DAY = 86_400_000;

/** Time-driven changes are committed this long after their moment. */
const CONFIRMATION_DELAY = 2 * 60_000;

/** Clocks that differ by less count as the same. If the API's is behind by more than a day, only ours counts. */
const TOLERATED_OFFSET = 60_000;

/** No replica lags behind by more. */
const MAX_LAG = 10 * 60_000;

/** Edits that are closer than this may reach a replica in another order. */
const EDIT_ORDER_MARGIN = 60_000;

/** How far a delta reaches back before the start of the last scan. */
const LOOKBACK = 10 * 60_000;

class Oracle {
  readonly #input: OracleInput;
  readonly #accountDayOf: (instant: string) => string;
  readonly #account: TrueAccount;
  readonly #required: RequiredRecords;
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #lastScan = new Map<string, number>();
  /** The start of the last scan that would have shown a new record. An open scan need not. */
  readonly #lastShowing = new Map<string, number>();
  /** The highest id in the last complete sweep: ids are given in order. */
  readonly #highestSwept = new Map<string, number>();
  /** The start of the last scan after which time-driven changes were committed. */
  readonly #settled = new Map<string, number>();
  /** The role that Tidings knows of: it does not ask for it in every scan. */
  readonly #role = new Map<string, Role>();
  /** Tasks whose date went back, and of which a response came that may have been outdated. */
  readonly #held = new Set<string>();
  readonly #waiting: Waiting[] = [];
  readonly #expected: ExpectedEvents[] = [];
  readonly #overlooked: string[] = [];
  #timeZone: string;
  #dayOf: (instant: string) => string;
  #midnightOf: (day: string) => string;
  #rules: DayRules;
  #at = '';
  /** This cycle noticed another zone or other rules. */
  #isOtherConfig = false;
  /** When another zone or other rules were last noticed: what only they make true became due then. */
  #configuredAt = '';
  #today = '';
  /** The earlier of our clock and the API's: a midnight counts when both have passed it. */
  #judgedAt = '';
  /** The day up to which responses confirm: lists lag behind. */
  #confirmedDay = '';

  constructor(input: OracleInput) {
    this.#input = input;
    this.#accountDayOf = dayInZone(input.timeZone);
    this.#timeZone = input.timeZone;
    this.#dayOf = this.#accountDayOf;
    this.#midnightOf = midnightsIn(this.#dayOf);
    this.#rules = input.moments[0]?.rules ?? fail('no moments');
    this.#account = new TrueAccount(input.founding, input.journal);
    this.#required = new RequiredRecords(this.#account, input.lateIndex);
    for (const resource of input.founding.keys()) this.#known.set(resource, new Map());
  }

  predict(): Prediction {
    for (const { at, isIdle = false, rules: configured, timeZone, observations, clockOffset } of this.#input.moments) {
      const rules = isIdle ? this.#rules : configured;
      this.#at = at;
      const isBehind = clockOffset <= -TOLERATED_OFFSET && clockOffset >= -DAY;
      this.#judgedAt = isBehind ? new Date(Date.parse(at) + clockOffset).toISOString() : at;
      const isOtherZone = timeZone !== null && timeZone !== this.#timeZone;
      this.#isOtherConfig = isOtherZone || rules !== this.#rules;
      if (this.#isOtherConfig) this.#configuredAt = at;
      if (isOtherZone) this.#changeZone(timeZone);
      this.#today = this.#dayOf(at);
      this.#confirmedDay = this.#dayOf(new Date(Date.parse(this.#judgedAt) - CONFIRMATION_DELAY).toISOString());
      if (rules !== this.#rules) this.#changeRules(rules);
      this.#observe(observations);
      // The cycle that notices another config has already planned its scans: the next one confirms what it makes due.
      if (this.#isOtherConfig) continue;
      for (const resource of this.#known.keys()) if (this.#mustWait(resource)) this.#waiting.push({ at, resource });
    }
    return { expected: this.#expected, overlooked: this.#overlooked, waiting: this.#waiting };
  }

  #observe(observations: readonly Observation[]): void {
    const begun = new Map<Observation, Reading>();
    for (const { observation, index, response, isLast } of inOrderOfReceipt(observations)) {
      const reading = begun.get(observation) ?? this.#begin(observation);
      begun.set(observation, reading);
      if (response !== undefined) this.#receive(observation, reading, response, index);
      if (isLast) this.#finish(observation, reading);
    }
  }

  #begin({ resource, newIdentity, responses }: Observation): Reading {
    const isFirst = this.#lastScan.get(resource) === undefined;
    // Two Administrators see the same records: between them nothing appears or disappears without being news.
    const isAdministrator = this.#role.get(resource) === 'Administrator' && responses.every((one) => one.seesAll);
    const lastUnconfirmed = responses.findLastIndex(({ isUnconfirmed }) => isUnconfirmed);
    return { isFirst, isOtherSight: newIdentity && !isAdministrator, lastUnconfirmed, returned: new Set() };
  }

  #receive({ resource, kind }: Observation, reading: Reading, response: RecordedResponse, index: number): void {
    const { isFirst, isOtherSight, lastUnconfirmed, returned } = reading;
    this.#account.replayTo(response.seq);
    this.#account.limitSight(response.sight);
    for (const id of response.ids) {
      // The fault that adds a row with an invalid id: it is no record, and must cause no event.
      if (id === INVALID_ID) continue;
      returned.add(id);
      if (!this.#isProven(resource, id, response)) {
        if (this.#wasBackdated(id)) this.#held.add(id);
        // It is open with the same due date now and in the state that is known.
        if (response.isDueRead && this.#confirmsDue(resource, id)) this.#passKnownDays(resource, id);
        continue;
      }
      this.#see(resource, id, response, isFirst || (isOtherSight && !this.#knownOf(resource).has(id)));
      if (response.isDueRead) this.#passKnownDays(resource, id);
    }
    // This counts even if the scan fails later: a sweep asks for a single record only after it read the whole list.
    const { missingId } = response;
    const isAbsent = missingId !== null && !this.#account.shows(resource, missingId);
    if (isAbsent && kind === 'sweep' && index > lastUnconfirmed)
      this.#delete(resource, missingId, !this.#provesDeletion(resource, missingId, response));
  }

  #finish(observation: Observation, { isFirst, isOtherSight, returned }: Reading): void {
    const { resource, kind, succeeded, complete, newIdentity, responses } = observation;
    if (!succeeded) return;
    if (complete) this.#requireReturned(observation, returned);
    const undecided = new Set(responses.flatMap(({ failedId }) => failedId ?? []));
    if (complete && kind === 'sweep')
      this.#deleteMissing(observation, new Set([...returned, ...undecided]), isOtherSight);
    if (isFirst || newIdentity) this.#role.set(resource, responses.at(-1)?.role ?? 'Administrator');
    if (complete || isFirst) this.#noteScan(observation, returned);
    if (resource === 'invoice') this.#required.rememberOpen(this.#knownOf('invoice'));
    if (observation.settledUntil !== null) this.#settle(resource, observation.settledUntil);
  }

  #passKnownDays(resource: string, id: string): void {
    const known = this.#knownOf(resource).get(id);
    if (known !== undefined && !this.#waitsForNextScan(resource, known)) this.#passDays(resource, id, known);
  }

  #noteScan({ resource, kind }: Observation, returned: ReadonlySet<string>): void {
    const at = Date.parse(this.#at);
    this.#lastScan.set(resource, at);
    if (kind === 'open') return;
    this.#lastShowing.set(
      resource,
      kind === 'sweep' ? at : Math.max(at - LOOKBACK, this.#lastShowing.get(resource) ?? 0),
    );
    if (kind === 'sweep') this.#highestSwept.set(resource, Math.max(0, ...[...returned].map(Number)));
  }

  /**
   * A list alone proves no reversal: the record itself is read. A row that was modified before the known one may come from a
   * replica that lags behind. It counts if the same response shows a later edit, if only the date went back and no replica
   * lags that much, or after a day.
   */
  #isProven(resource: string, id: string, { isSingle, ids }: RecordedResponse): boolean {
    const before = this.#knownOf(resource).get(id);
    const records = this.#account.recordsOf(resource);
    const after = records.get(id);
    if (before === undefined || after === undefined) return true;
    if (resource === 'invoice' && !isSingle) return received(before.fields, after) >= 0;
    const known = modifiedAt(before.fields);
    if (resource !== 'task' || modifiedAt(after) >= known) return true;
    const edits = ids.map((one) => modifiedAt(records.get(one) ?? {})).filter((at) => at <= Date.parse(this.#at));
    if (Math.max(...edits) > known + EDIT_ORDER_MARGIN) return true;
    const age = Date.parse(this.#at) - Date.parse(before.committedAt);
    const { datemodified: _, ...others } = after;
    return age > DAY || (age >= MAX_LAG && !isKept(resource, before.fields, others));
  }

  /** Whether an outdated row is open with the same due date as the task that is known. */
  #confirmsDue(resource: string, id: string): boolean {
    const before = this.#knownOf(resource).get(id);
    const after = this.#account.recordsOf(resource).get(id);
    if (before === undefined || after === undefined || before.deleted) return false;
    const isSame = ['status', 'statusid', 'dateclosed', 'datedue'].every(
      (field) => (after[field] ?? '') === (before.fields[field] ?? ''),
    );
    return isSame && Date.parse(this.#at) - Date.parse(before.committedAt) >= MAX_LAG;
  }

  /**
   * Whether the 404 of this record proves that it was deleted: to a role that sees everything, or if it belongs to a
   * project that the role still sees.
   */
  #provesDeletion(resource: string, id: string, { seesAll, sight }: RecordedResponse): boolean {
    if (seesAll) return true;
    const project = this.#knownOf(resource).get(id)?.fields.projectid ?? '';
    // A person who sees only their own tasks loses sight of one that is assigned to another.
    const mayBeHidden = resource === 'task' && sight.ownTasksOf !== undefined;
    return ['task', 'invoice'].includes(resource) && this.#account.shows('project', project) && !mayBeHidden;
  }

  #see(resource: string, id: string, response: RecordedResponse, isSilent: boolean): void {
    const { role, person, seesAll, sight } = response;
    const seen = this.#account.read(resource, id);
    if (seen === undefined) throw new Error(`${resource}/${id} was returned at ${this.#at}, but is not in the journal`);
    const before = this.#knownOf(resource).get(id);
    const seenOn = this.#accountDayOf(this.#at);
    const isSameRow = before?.seen === seen && before.role === role && before.seenOn === seenOn;
    if (isSameRow && !before.deleted) return;
    const isBack = before?.deleted === true;
    if (isBack && !before.lost) throw new Error(`${resource}/${id} is back, which the simulated account never does`);
    const visible = visibleFields(resource, seen, { role, person, today: seenOn });
    const fields = { ...before?.fields, ...visible };
    const shown = {
      ...before?.shown,
      ...Object.fromEntries(Object.keys(visible).map((name) => [name, this.#account.replayed])),
    };
    const novelty = before === undefined ? this.#judgeNovelty(resource, id, fields, seesAll) : 'new';
    // Nobody made it now: it was only out of sight.
    const silent = isSilent || isBack || novelty === 'old';
    // A response that shows nothing new is no change: time-driven changes wait for the end of the scan.
    if (before !== undefined && !isBack && !isKept(resource, before.fields, fields)) {
      this.#knownOf(resource).set(id, { ...before, fields, seen, role, seenOn, shown });
      return;
    }
    const day = silent ? this.#dayOf(this.#judgedAt) : this.#dayOfChange(resource, before, fields);
    const facts = this.#factsOf(resource, fields, day, before, this.#today);
    const appearedAt = before === undefined || isBack ? this.#at : before.appearedAt;
    const after = {
      ...{ fields, facts, deleted: false, lost: false, isBack, seen, role, seenOn, shown, day },
      ...{ appearedAt, committedAt: this.#at },
    };
    this.#knownOf(resource).set(id, after);
    if (!silent) {
      const types =
        novelty === 'new'
          ? impliedEvents(resource, before ?? null, { fields, facts })
          : impliedByAppearance(resource, { fields, facts });
      if (novelty === 'new') this.#expectChange(resource, id, types, before, Object.keys(visible));
      else this.#expectAppearance(resource, id, types, sight.since);
    }
    this.#passDays(resource, id, after);
  }

  #judgeNovelty(resource: string, id: string, fields: RawRecord, seesAll: boolean): 'new' | 'old' | 'unsure' {
    const lastShowing = this.#lastShowing.get(resource) ?? 0;
    const project = this.#knownOf('project').get(fields.projectid ?? '');
    const isRecent = project !== undefined && Date.parse(project.appearedAt) > lastShowing;
    return judgeNovelty(resource, fields, {
      seesAll,
      lastScan: new Date(lastShowing).toISOString(),
      wasListed: Number(id) < (this.#highestSwept.get(resource) ?? 0),
      wasProjectShown: project !== undefined && !project.deleted && !isRecent,
      isProjectBack: project !== undefined && (project.deleted || (project.isBack && isRecent)),
      dayOf: this.#dayOf,
    });
  }

  /** It was made before, or came into sight: which of both, and when, only the journal and the fault know. */
  #expectAppearance(resource: string, id: string, types: readonly string[], sightSince: string): void {
    const made = this.#account.entriesOf(`${resource}/${id}`).map(({ at }) => at);
    this.#expect(
      `${resource}/${id}`,
      types,
      types.map(() => ({ all: [], any: [...made, sightSince] })),
    );
  }

  /** The day a change is judged by: that of its own date, if it has one that is not settled yet. */
  #dayOfChange(resource: string, before: Known | undefined, fields: RawRecord): string {
    const settled = this.#settled.get(resource);
    const { datemodified } = fields;
    const isDated =
      resource === 'task' && typeof datemodified === 'string' && datemodified !== before?.fields.datemodified;
    // Names of other records changed: that is no change of its own.
    if (!isDated && before !== undefined && !isUpdated(resource, before.fields, fields)) return before.day;
    if (!isDated || settled === undefined) return this.#confirmedDay;
    const changed = modifiedAt(fields);
    return this.#dayOf(new Date(Math.min(Date.parse(this.#judgedAt), Math.max(changed, settled))).toISOString());
  }

  #delete(resource: string, id: string, silent = false): void {
    const known = this.#knownOf(resource).get(id);
    if (known === undefined || known.deleted) return;
    this.#knownOf(resource).set(id, { ...known, deleted: true, lost: silent });
    if (!silent) this.#expectChange(resource, id, [`${resource}.deleted`], known);
  }

  #deleteMissing({ resource, responses }: Observation, kept: ReadonlySet<string>, silent: boolean): void {
    const known = this.#knownOf(resource);
    const missing = [...known].filter(
      ([id, { deleted }]) => !deleted && !kept.has(id) && !this.#account.shows(resource, id),
    );
    // For a role that does not see everything, only the 404 of the record counts, which was judged above.
    if (!silent && !responses.every(({ seesAll }) => seesAll)) return;
    if (!silent && missing.length > 10 && missing.length > known.size / 20) {
      throw new Error(
        `${missing.length} of ${resource} vanished at ${this.#at}: the oracle does not model the mass-deletion guard`,
      );
    }
    for (const [id] of missing) this.#delete(resource, id, silent);
  }

  /**
   * A scan has confirmed the records: each day since may have changed them without an edit. In a cycle that notices another
   * config it settles what midnights did, which its responses show, and not what only the config makes true: that became
   * due in this cycle, after which no response has come yet.
   */
  #settle(resource: string, until: string): void {
    this.#settled.set(resource, Date.parse(until));
    for (const [id, known] of this.#knownOf(resource)) {
      // What was deleted does not become overdue, even if no sweep has shown the deletion yet.
      const isThere = !known.deleted && this.#account.shows(resource, id);
      const isConfirmed = until === this.#at || !this.#waitsForNextScan(resource, known);
      if (isThere && isConfirmed) this.#passDays(resource, id, known, this.#dayOf(until));
    }
  }

  /** In another zone each record is judged as of its last confirmed instant, which may belong to another day. */
  #changeZone(timeZone: string): void {
    this.#timeZone = timeZone;
    this.#dayOf = dayInZone(timeZone);
    this.#midnightOf = midnightsIn(this.#dayOf);
    for (const [resource, records] of this.#known) {
      const day = this.#dayOf(new Date(this.#settled.get(resource) ?? Date.parse(this.#at)).toISOString());
      for (const [id, known] of records) if (!known.deleted) records.set(id, { ...known, day });
    }
    this.#changeRules(this.#rules);
  }

  /** Other rules are no event: what they make untrue is dropped. What they newly make true follows with the next scan. */
  #changeRules(rules: DayRules): void {
    this.#rules = rules;
    for (const [resource, records] of this.#known) {
      for (const [id, known] of records) {
        if (known.deleted) continue;
        const { fields, facts, day } = known;
        records.set(id, { ...known, facts: keepFacts(facts, this.#factsOf(resource, fields, day, known)) });
      }
    }
  }

  /**
   * Passes the days up to the confirmed one, and after it those up to `until` that change nothing: Tidings settles a day on
   * which nothing becomes due without waiting for the delay. Rules that change later are applied as of that day.
   * @param until the last day. @default - the confirmed one
   */
  #passDays(resource: string, id: string, known: Known, until = this.#confirmedDay): void {
    let before = this.#applyRules(resource, id, known);
    while (before.day < until) {
      const day = dayAfter(before.day);
      const facts = this.#factsOf(resource, before.fields, day, before);
      if (day > this.#confirmedDay && !sameFacts(facts, before.facts)) break;
      const types = impliedEvents(resource, before, { fields: before.fields, facts });
      const when = types.map(() => ({ all: [this.#midnightOf(day)], any: [] }));
      this.#expect(`${resource}/${id}`, types, when);
      before = { ...before, facts, day };
    }
    this.#knownOf(resource).set(id, before);
  }

  /** What only other rules make true becomes due when they are noticed: the next scan confirms it. */
  #waitsForNextScan(resource: string, known: Known): boolean {
    // Responses confirm what became due two minutes before them, as they do after a midnight.
    if (Date.parse(this.#configuredAt) <= Date.parse(this.#judgedAt) - CONFIRMATION_DELAY) return false;
    let before = this.#factsOf(resource, known.fields, known.day, known);
    for (let day = known.day; day < this.#confirmedDay; ) {
      day = dayAfter(day);
      const facts = this.#factsOf(resource, known.fields, day, { ...known, facts: before });
      if (!sameFacts(facts, before)) return false;
      before = facts;
    }
    return true;
  }

  /** Emits what changed rules newly made true. */
  #applyRules(resource: string, id: string, before: Known): Known {
    const facts = this.#factsOf(resource, before.fields, before.day, before);
    const types = impliedEvents(resource, before, { fields: before.fields, facts });
    const when = types.map(() => ({ all: [], any: [] }));
    this.#expect(`${resource}/${id}`, types, when);
    return { ...before, facts };
  }

  /** @param shownOn the day of the response that showed the fields. @default - they are those of before */
  #factsOf(resource: string, fields: RawRecord, day: string, before: State | undefined, shownOn = day): Facts {
    const active = before === undefined ? undefined : lastActiveDay(resource, before, fields, shownOn);
    const facts = deriveFacts(resource, fields, day, this.#calendar(), active);
    return before === undefined ? facts : keepAnnounced(before, { fields, facts });
  }

  #calendar(): Calendar {
    return { dayOf: this.#dayOf, rules: this.#rules };
  }

  /** Time-driven changes wait while a deletion or creation is not known: then only a sweep confirms. */
  #mustWait(resource: string): boolean {
    const isPending = ([, known]: [string, Known]) =>
      !known.deleted &&
      known.day < this.#confirmedDay &&
      !sameFacts(known.facts, this.#factsOf(resource, known.fields, this.#confirmedDay, known));
    return [...this.#knownOf(resource)].some(isPending) && this.#isWholeKnown(resource);
  }

  /** Whether the account has exactly the records that are known. */
  #isWholeKnown(resource: string): boolean {
    const known = [...this.#knownOf(resource)].filter(([, { deleted }]) => !deleted).map(([id]) => id);
    const truth = this.#account.shownRecords(resource);
    return known.length === truth.size && known.every((id) => truth.has(id));
  }

  #expectChange(
    resource: string,
    id: string,
    types: readonly string[],
    before: Known | undefined,
    visible: readonly string[] = [],
  ): void {
    if (types.length === 0) return;
    const entries = this.#account.entriesOf(`${resource}/${id}`);
    const midnights: string[] = [];
    for (let day = before?.day ?? this.#today; day < this.#today; day = dayAfter(day)) {
      midnights.push(this.#midnightOf(dayAfter(day)));
    }
    // A status that gets another name closes or opens its tasks without an entry of theirs.
    const status = this.#account.entriesOf(`taskstatus/${before?.fields.statusid ?? ''}`);
    if (resource === 'task') midnights.push(...status.map(({ at }) => at));
    const history = { resource, entries, shown: before?.shown ?? {}, visible, midnights, calendar: this.#calendar() };
    this.#expect(`${resource}/${id}`, types, findTrueInstants(history, types));
  }

  #expect(subject: string, types: readonly string[], when: readonly TrueInstants[]): void {
    if (types.length === 0) return;
    const [resource = '', id = ''] = subject.split('/');
    // An event about a deleted task shows its project as it was last read.
    const task = resource === 'task' ? this.#account.read(resource, id) : undefined;
    const client = task === undefined ? {} : { clientid: task.clientid ?? null };
    const isHeld = resource === 'task' && this.#held.has(id);
    if (types.some((type) => !BY_TIME.test(type))) this.#held.delete(id);
    const modified = task === undefined ? {} : { modifiedAt: modifiedAt(task) };
    this.#expected.push({ at: this.#at, subject, types, when, ...client, ...modified, ...(isHeld ? { isHeld } : {}) });
  }

  /** Whether the task's modification date went back since a response last changed what is known of it. */
  #wasBackdated(id: string): boolean {
    const { shown = {} } = this.#knownOf('task').get(id) ?? {};
    const seq = shown.datemodified ?? 0;
    return this.#account
      .entriesOf(`task/${id}`)
      .some(({ seq: at, before, after }) => at > seq && after !== null && modifiedAt(after) < modifiedAt(before ?? {}));
  }

  /** A scan that reports itself complete must have returned these records. */
  #requireReturned({ resource, kind, responses }: Observation, returned: ReadonlySet<string>): void {
    const lastScan = this.#lastScan.get(resource) ?? 0;
    for (const id of this.#required.requiredIds({ resource, kind, responses, at: this.#at, lastScan })) {
      if (!returned.has(id)) this.#overlooked.push(`${resource}/${id} at ${this.#at} by ${kind}`);
    }
  }

  #knownOf(resource: string): Map<string, Known> {
    return this.#known.get(resource) ?? new Map();
  }
}

/** NaN if it has no modification date. */
function modifiedAt({ datemodified }: RawRecord): number {
  return Date.parse(`${datemodified?.replace(' ', 'T').slice(0, 19)}Z`);
}

function fail(message: string): never {
  throw new Error(message);
}
