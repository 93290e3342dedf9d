/**
 * The oracle: which events the journal implies, given when Tidings looked at what. Naive on purpose: it plays the journal
 * forward, and at each look holds what the account really was against what could be known before.
 *
 * Exact for every type of task, invoice, project, client and person. Left out, because nothing is read of them in these
 * runs: expense, document, group, projectmodule. Never met, because the account of the simulator gives no id twice:
 * `restored`. `source.*` is judged by troubles.ts; custom rules and `data` of events by tests of their own.
 *
 * It does not model the mass-deletion guard; it rejects a run in which the guard would act.
 */

import type { JournalEntry, Role } from '../../simulator/simulator.ts';
import { factsOf, meaningOf, type State } from './naive-rules.ts';
import type { Answer, Group, Moment, Observation, Wire } from './observation.ts';

export interface Evidence {
  readonly timeZone: string;
  /** The person whose token is used: they always see their own address. */
  readonly person: string;
  /** Records that were there when the account was founded, by resource, as an Administrator reads them. */
  readonly founding: ReadonlyMap<string, readonly Wire[]>;
  readonly journal: readonly JournalEntry[];
  readonly moments: readonly Moment[];
  /** By how much the index of modified tasks was late, from instant to instant. */
  readonly lateIndex: readonly { readonly from: string; readonly until: string; readonly ms: number }[];
}

export interface Verdict {
  readonly expected: readonly Group[];
  /** Looks that should have shown a record and did not: `task/7 at … by delta`. */
  readonly overlooked: readonly string[];
}

/** How far a delta must look back behind the start of the last good scan. */
const LOOKBACK_MS = 5 * 60_000;

const NOT_FOR_EXECUTIVES = 'assigneeid assignees followers followerid ownerid owners'.split(' ');
const FOR_MANAGERS: Readonly<Record<string, readonly string[]>> = {
  invoice: ['datebegin', 'dateend'],
  project: ['description', 'alert_percent', 'alert_date', 'budget'],
  client: ['phone'],
  person:
    'title notes allprojects private username numlogins lastlogin timezone timezone_offset restricttasks cancomment'.split(
      ' ',
    ),
};

interface Known extends State {
  readonly gone: boolean;
  /** The very state it was last seen in, and as whom: seen again, nothing can be new. */
  readonly seen: Wire;
  readonly role: Role;
}

export function judge(evidence: Evidence): Verdict {
  return new Oracle(evidence).judge();
}

class Oracle {
  readonly #evidence: Evidence;
  readonly #dayOf: (instant: string) => string;
  /** What really is, by resource and id, as of the entry of the journal that was played last. */
  readonly #truth = new Map<string, Map<string, Wire>>();
  readonly #known = new Map<string, Map<string, Known>>();
  /** When each task was last modified. */
  readonly #modified = new Map<string, number>();
  readonly #lastScan = new Map<string, number>();
  readonly #open = new Set<string>();
  readonly #expected: Group[] = [];
  readonly #overlooked: string[] = [];
  #played = 0;
  #at = '';
  #today = '';

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    this.#dayOf = calendarOf(evidence.timeZone);
    for (const [resource, records] of evidence.founding) {
      this.#truth.set(resource, new Map(records.map((record) => [String(record.id), record])));
      this.#known.set(resource, new Map());
    }
  }

  judge(): Verdict {
    for (const { at, observations } of this.#evidence.moments) {
      const today = this.#dayOf(at);
      const isNewDay = today !== this.#today;
      this.#at = at;
      this.#today = today;
      for (const observation of observations) this.#observe(observation);
      // What was looked at today is staged by today already: only a new day finds anything left to do.
      if (isNewDay) this.#tick();
    }
    return { expected: this.#expected, overlooked: this.#overlooked };
  }

  #observe(observation: Observation): void {
    const { resource, kind, good, complete, answers } = observation;
    const first = this.#lastScan.get(resource) === undefined;
    const shown = new Set<string>();
    for (const answer of answers) {
      this.#playTo(answer.seq);
      for (const id of answer.ids) {
        shown.add(id);
        this.#look(resource, id, answer.role, first);
      }
      // One that fails later has still heard this, and only of a list that it had read to its end. Only a sweep decides.
      if (answer.gone !== null && kind === 'sweep' && !this.#truthOf(resource).has(answer.gone))
        this.#lose(resource, answer.gone);
    }
    if (!good) return;
    if (complete) this.#requireShown(observation, shown);
    if (complete && kind === 'sweep') this.#loseMissing(resource, shown);
    if (complete || first) this.#lastScan.set(resource, Date.parse(this.#at));
    if (resource === 'invoice') this.#noteOpen();
  }

  #playTo(seq: number): void {
    for (; this.#played < seq; this.#played++) {
      const entry = this.#evidence.journal[this.#played];
      if (entry === undefined) throw new Error(`the journal ends before entry ${seq}`);
      const truth = this.#truth.get(entry.resource);
      if (truth === undefined) continue;
      if (entry.after === null) truth.delete(entry.id);
      else truth.set(entry.id, entry.after);
      const stamped = entry.before?.datemodified !== entry.after?.datemodified;
      if (entry.resource === 'task' && stamped) this.#modified.set(entry.id, Date.parse(entry.at));
    }
  }

  #look(resource: string, id: string, role: Role, silent: boolean): void {
    const seen = this.#truthOf(resource).get(id);
    if (seen === undefined) throw new Error(`${resource}/${id} was shown at ${this.#at}, and is not in the journal`);
    const before = this.#knownOf(resource).get(id);
    if (before !== undefined && !before.gone && before.seen === seen && before.role === role) return;
    if (before?.gone === true) throw new Error(`${resource}/${id} is back: no account of ours does that`);
    const fields = { ...before?.fields, ...this.#visible(resource, seen, role) };
    const facts = factsOf(resource, fields, this.#today, this.#dayOf);
    this.#knownOf(resource).set(id, { fields, facts, gone: false, seen, role });
    if (!silent) this.#expect(`${resource}/${id}`, meaningOf(resource, before ?? null, { fields, facts }));
  }

  #lose(resource: string, id: string): void {
    const known = this.#knownOf(resource).get(id);
    if (known === undefined || known.gone) return;
    this.#knownOf(resource).set(id, { ...known, gone: true });
    this.#expect(`${resource}/${id}`, [`${resource}.deleted`]);
  }

  #loseMissing(resource: string, shown: ReadonlySet<string>): void {
    const known = this.#knownOf(resource);
    const missing = [...known].filter(([id, { gone }]) => !gone && !shown.has(id) && !this.#truthOf(resource).has(id));
    if (missing.length > 10 && missing.length > known.size / 20) {
      throw new Error(`${missing.length} of ${resource} vanished at ${this.#at}: a run of this kind is not foreseen`);
    }
    for (const [id] of missing) this.#lose(resource, id);
  }

  /** Midnight passed: time-derived state may have changed without an edit. */
  #tick(): void {
    for (const [resource, records] of this.#known) {
      for (const [id, known] of records) {
        if (known.gone) continue;
        const facts = factsOf(resource, known.fields, this.#today, this.#dayOf);
        const types = meaningOf(resource, known, { fields: known.fields, facts });
        records.set(id, { ...known, facts });
        this.#expect(`${resource}/${id}`, types);
      }
    }
  }

  #expect(subject: string, types: readonly string[]): void {
    if (types.length > 0) this.#expected.push({ at: this.#at, subject, types });
  }

  /** A scan that calls itself complete must have shown these. */
  #requireShown({ resource, kind, answers }: Observation, shown: ReadonlySet<string>): void {
    for (const id of this.#due(resource, kind, answers)) {
      if (!shown.has(id)) this.#overlooked.push(`${resource}/${id} at ${this.#at} by ${kind}`);
    }
  }

  #due(resource: string, kind: Observation['kind'], answers: readonly Answer[]): string[] {
    const truth = this.#truthOf(resource);
    if (answers.length === 0) return [];
    if (kind === 'sweep') return [...truth.keys()];
    if (kind === 'open') {
      const isOpen = ({ datepaid }: Wire) => datepaid === null || datepaid === '';
      return [...truth].filter(([id, record]) => isOpen(record) || this.#open.has(id)).map(([id]) => id);
    }
    const since = (this.#lastScan.get(resource) ?? 0) - LOOKBACK_MS;
    const now = Date.parse(this.#at);
    return [...this.#modified]
      .filter(([id, at]) => truth.has(id) && at > since && at + this.#lateness(at) <= now)
      .map(([id]) => id);
  }

  #lateness(at: number): number {
    const late = this.#evidence.lateIndex.find(({ from, until }) => Date.parse(from) <= at && at <= Date.parse(until));
    return late?.ms ?? 0;
  }

  /** Invoices that were still to be paid when last looked at: paid next time, they must be shown once more. */
  #noteOpen(): void {
    this.#open.clear();
    for (const [id, { fields, gone }] of this.#knownOf('invoice')) {
      if (!gone && (fields.datepaid === null || fields.datepaid === '')) this.#open.add(id);
    }
  }

  #visible(resource: string, record: Wire, role: Role): Wire {
    const hidden = new Set<string>();
    const isStaff = role === 'Administrator' || role === 'Manager';
    if (resource === 'task' && role === 'Executive') for (const field of NOT_FOR_EXECUTIVES) hidden.add(field);
    if (!isStaff) for (const field of FOR_MANAGERS[resource] ?? []) hidden.add(field);
    if (resource === 'person') {
      if (role !== 'Administrator') hidden.add('hourlyrate');
      if (!isStaff && record.private === 't' && record.id !== this.#evidence.person) hidden.add('email');
    }
    return Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.has(field)));
  }

  #truthOf(resource: string): Map<string, Wire> {
    return this.#truth.get(resource) ?? new Map();
  }

  #knownOf(resource: string): Map<string, Known> {
    return this.#known.get(resource) ?? new Map();
  }
}

/** The day it is in a zone at an instant. */
export function calendarOf(timeZone: string): (instant: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (instant) => format.format(Date.parse(instant));
}
