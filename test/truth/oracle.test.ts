/** The oracle alone: what it predicts from a journal and recorded responses that these tests write by hand. */

import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../simulator/simulator.ts';
import type { DayRules } from './calendar.ts';
import type { Moment, Observation, RawRecord, RecordedResponse } from './observation.ts';
import { type OracleInput, predictEvents } from './oracle.ts';

const SHORT: DayRules = {
  ...{ closedStatuses: ['Closed'], taskDueSoon: 1, taskStale: 30 },
  ...{ invoiceDueSoon: 7, invoiceOverdueReminders: [7], projectEndingSoon: 7 },
};
const LONG: DayRules = { ...SHORT, invoiceOverdueReminders: [3] };

function response(seq: number, ids: readonly string[], isDueRead = false): RecordedResponse {
  return {
    ...{ seq, ids, isDueRead, role: 'Administrator', person: '1', seesAll: true, isSingle: false },
    ...{ missingId: null, failedId: null, isUnconfirmed: false, sight: { since: '2024-01-08T05:00:00.000Z' } },
  };
}

function observation(resource: string, kind: Observation['kind'], responses: readonly RecordedResponse[]): Observation {
  return { resource, kind, responses, succeeded: true, complete: true, settledUntil: null, newIdentity: false };
}

function moment(at: string, observations: readonly Observation[], rules = SHORT): Moment {
  return { at, rules, timeZone: 'Europe/Berlin', observations, clockOffset: 0 };
}

function predict(input: Pick<OracleInput, 'founding' | 'journal' | 'moments'>) {
  const { expected } = predictEvents({ timeZone: 'Europe/Berlin', lateIndex: [], ...input });
  return expected.map(({ at, subject, types }) => `${at} ${subject} ${types.join(' ')}`);
}

describe('the oracle', () => {
  const unpaid = { datepaid: '', balance: '100.00', payments: '0.00', total: '100.00', status: 'overdue' };
  const invoice: RawRecord = { id: '67', datedue: '2024-01-16', ...unpaid };
  const founding = new Map([['invoice', [invoice]]]);

  it('applies other rules as of the last settled day, also right after a midnight at which nothing became due', () => {
    const scan = (settledUntil: string, isDueRead = false): Observation => ({
      ...observation('invoice', 'open', [response(0, ['67']), ...(isDueRead ? [response(0, ['67'], true)] : [])]),
      settledUntil,
    });
    const baseline = {
      ...observation('invoice', 'sweep', [response(0, ['67'])]),
      settledUntil: '2024-01-18T05:00:00.000Z',
    };
    const moments = [
      moment('2024-01-18T05:00:00.000Z', [baseline]),
      // Midnight in Berlin, on the third day after the due date.
      moment('2024-01-18T23:00:00.000Z', [scan('2024-01-18T23:00:00.000Z')]),
      moment('2024-01-19T00:00:00.000Z', [scan('2024-01-18T23:58:00.000Z')], LONG),
      moment('2024-01-19T00:30:00.000Z', [scan('2024-01-19T00:30:00.000Z', true)], LONG),
    ];
    expect(predict({ founding, journal: [], moments })).toEqual([
      '2024-01-19T00:30:00.000Z invoice/67 invoice.overdue_reminder',
    ]);
  });

  it('does not settle a midnight before the delay if something becomes due then', () => {
    const baseline = {
      ...observation('invoice', 'sweep', [response(0, ['67'])]),
      settledUntil: '2024-01-18T05:00:00.000Z',
    };
    const scan = (settledUntil: string): Observation => ({
      ...observation('invoice', 'open', [response(0, ['67'])]),
      settledUntil,
    });
    const moments = [
      moment('2024-01-18T05:00:00.000Z', [baseline], LONG),
      moment('2024-01-18T23:01:00.000Z', [scan('2024-01-18T23:01:00.000Z')], LONG),
      moment('2024-01-18T23:02:01.000Z', [scan('2024-01-18T23:02:01.000Z')], LONG),
    ];
    expect(predict({ founding, journal: [], moments })).toEqual([
      '2024-01-18T23:02:01.000Z invoice/67 invoice.overdue_reminder',
    ]);
  });

  it('reads each response as of its receipt, although the read of what is due counts for an earlier scan', () => {
    const at = '2024-01-18T06:00:00.000Z';
    const deletion: JournalEntry = {
      ...{ seq: 1, at, by: '1', action: 'deleted', resource: 'invoice', id: '67' },
      ...{ before: invoice, after: null },
    };
    const task: RawRecord = {
      id: '5',
      title: 'Call',
      status: 'New',
      datedue: null,
      datemodified: '2024-01-02 10:00:00',
    };
    const moments = [
      moment('2024-01-18T05:00:00.000Z', [
        observation('task', 'sweep', [response(0, ['5'])]),
        observation('invoice', 'sweep', [response(0, ['67'])]),
      ]),
      moment(at, [
        // Its second response came after those about invoices, when the invoice was deleted.
        observation('task', 'delta', [response(0, ['5']), response(1, ['5'], true)]),
        observation('invoice', 'open', [response(0, ['67']), response(1, [])]),
      ]),
      moment('2024-01-18T07:00:00.000Z', [observation('invoice', 'sweep', [response(1, [])])]),
    ];
    const accounts = new Map([...founding, ['task', [task]]]);
    expect(predict({ founding: accounts, journal: [deletion], moments })).toEqual([
      '2024-01-18T07:00:00.000Z invoice/67 invoice.deleted',
    ]);
  });
});
