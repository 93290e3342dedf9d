/** When the changes behind an event really happened, by the journal; and whether `occurred` contains these instants. */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { JournalEntry } from '../../simulator/simulator.ts';
import type { Calendar } from './calendar.ts';
import { isDelayed, lagAt, type ScheduledFault } from './fault-schedule.ts';
import { deriveFacts } from './naive-facts.ts';
import { impliedEvents } from './naive-rules.ts';
import type { ExpectedEvents, RawRecord, TrueInstants } from './observation.ts';

export interface ChangeHistory {
  readonly resource: string;
  /** The entries of the record, in order. */
  readonly entries: readonly JournalEntry[];
  /** By field: the number of the last entry when an earlier response showed the field. */
  readonly shown: Readonly<Record<string, number>>;
  /** The fields that this response shows. */
  readonly visible: readonly string[];
  /** Midnights since the record was last seen, and when it came into sight or its status got another name. */
  readonly midnights: readonly string[];
  readonly calendar: Calendar;
}

/** When each of these events happened. */
export function findTrueInstants(history: ChangeHistory, types: readonly string[]): TrueInstants[] {
  const news = history.entries.filter((entry) => isNews(entry, history));
  const implied = news.map((entry) => ({ at: entry.at, types: impliedBy(history, entry) }));
  return types.map((type) => ({
    all: implied.filter((entry) => entry.types.includes(type)).map(({ at }) => at),
    any: [...news.map(({ at }) => at), ...history.midnights],
  }));
}

/** Whether the entry changed a field that is shown now, after it was last shown. */
function isNews({ before, after, seq }: JournalEntry, { shown, visible }: ChangeHistory): boolean {
  if (after === null) return true;
  if (before === null) return Object.keys(shown).length === 0;
  return visible.some((field) => before[field] !== after[field] && seq > (shown[field] ?? 0));
}

function impliedBy({ resource, calendar }: ChangeHistory, { at, before, after }: JournalEntry): string[] {
  if (after === null) return [`${resource}.deleted`];
  const stateOf = (fields: RawRecord) => ({
    fields,
    facts: deriveFacts(resource, fields, calendar.dayOf(at), calendar),
  });
  return impliedEvents(resource, before === null ? null : stateOf(before), stateOf(after));
}

/**
 * Events whose `occurred` does not contain when they really happened. A replica that lags behind may move its begin. A window may
 * end at a modification date which went back, as long as that date is in the window: nothing shows that it is wrong.
 */
export function findFalseWindows(
  expected: readonly ExpectedEvents[],
  emitted: readonly TidingsEvent[],
  schedule: readonly ScheduledFault[] = [],
): string[] {
  const truth = new Map<string, (TrueInstants & Pick<ExpectedEvents, 'modifiedAt'>)[]>();
  for (const { at, subject, types, when, modifiedAt } of expected) {
    for (const [index, type] of types.entries()) {
      const key = `${type} ${subject} at ${at}`;
      truth.set(key, [...(truth.get(key) ?? []), { ...(when[index] ?? { all: [], any: [] }), modifiedAt }]);
    }
  }
  return emitted.flatMap(({ type, subject, time, data: { occurred } }) => {
    const key = `${type} ${subject} at ${time}`;
    const instants = truth.get(key)?.shift();
    if (instants === undefined) return [];
    const { all, any, modifiedAt } = instants;
    const lag = lagAt(schedule, Date.parse(time));
    const isAfterBegin = (at: number) => occurred.after === null || Date.parse(occurred.after) - lag <= at;
    const end = Date.parse(occurred.before);
    const endsAtItsDate = modifiedAt !== undefined && isAfterBegin(modifiedAt) && Math.abs(end - modifiedAt) <= SECOND;
    const contains = (at: string) => isAfterBegin(Date.parse(at)) && (Date.parse(at) <= end || endsAtItsDate);
    const isTrue = all.length > 0 ? all.every(contains) : any.length === 0 || any.some(contains);
    const happened = (all.length > 0 ? all : any).join(', ');
    return isTrue ? [] : [`${key}: happened ${happened}, occurred ${occurred.after} to ${occurred.before}`];
  });
}

const HOUR = 3_600_000;

/** Modification dates have no milliseconds. */
const SECOND = 1000;

/** How far a delta reaches back before the start of the last scan. */
const LOOKBACK = 10 * 60_000;

/** Changes that only a sweep shows: hours need not modify the task. */
const SWEPT = ['deleted', 'time_logged', 'over_estimate'];

/** Events that time alone causes. An edit may cause them too, beside others. */
export const BY_TIME = /\.(?:due_soon|overdue|overdue_reminder|stale|ending_soon|past_end)$/;

/**
 * Events that came later than their cadence plus one interval after the last change behind them, although no fault was
 * near. Tasks are scanned at every interval, invoices at every second one, all others at every fourth.
 */
export function findLateEvents(
  expected: readonly ExpectedEvents[],
  schedule: readonly Pick<ScheduledFault, 'from' | 'until' | 'graceMs' | 'delays'>[],
  interval: number,
): string[] {
  return expected.flatMap(({ at, subject, types, when, modifiedAt, isHeld = false }) => {
    const [resource = ''] = subject.split('/');
    // An invoice that was paid before the first scan showed it, or after it was paid, is shown by sweeps only.
    const isSwept = types.some((type) => SWEPT.some((name) => type.endsWith(`.${name}`)));
    const isOpenInvoice =
      resource === 'invoice' && types.some((type) => /payment_received|overdue|due_soon/.test(type));
    const intervals = resource === 'task' ? 2 : isOpenInvoice && !types.includes('invoice.created') ? 3 : 5;
    const isEdit = types.some((type) => !BY_TIME.test(type));
    return types.flatMap((type, index) => {
      const last = when[index]?.all.at(-1);
      if (last === undefined) return [];
      const [from, until] = [Date.parse(last), Date.parse(at)];
      // No delta after the edit shows a task that was modified before its begin: its date went back.
      const isHidden = isEdit && modifiedAt !== undefined && modifiedAt < from - LOOKBACK;
      const isLight = !isSwept && !isHidden && (resource !== 'invoice' || intervals === 3);
      const held = isHidden && isHeld ? 24 * HOUR : 0;
      const allowed = isLight ? intervals * interval : held + 6 * HOUR + 2 * interval;
      const cause = BY_TIME.test(type) ? 'moment' : isLight ? 'scan' : 'sweep';
      return until - from <= allowed || isDelayed(schedule, from, until, cause)
        ? []
        : [`${type} ${subject} at ${at}: happened ${last}`];
    });
  });
}
