import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backtest, visitMatches } from '../../../core/filters/backtest.ts';
import { explainMatch } from '../../../core/filters/explain-match.ts';
import { compileMatcher } from '../../../core/filters/match.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { MINUTE, plus } from '../../../core/model/time.ts';
import { event, NOON, subscription } from '../../samples.ts';

const total = (total: number) => ({ data: { ...event('1').data, record: { id: '1', total } } });
const wealthy = { data: { record: { total: [{ numeric: ['>=', 500] }] } } };

describe('explainMatch', () => {
  it('shows values of a filter and of an event in one line, with control characters as in JSON', () => {
    const forged = "x'\n✔  ops  delivered\n\u001b[8m";
    const where = { data: { record: { title: [forged] } } };
    const shown = explainMatch(
      subscription('a', { where }),
      event('1', { data: { ...event('1').data, record: { title: forged } } }),
    );
    expect(shown).toEqual({ wanted: true });
    const other = explainMatch(
      subscription('a', { where }),
      event('1', { data: { ...event('1').data, record: { title: 'a\tb' } } }),
    );
    expect(other).toMatchObject({
      mismatches: [{ expected: "'x'\\n✔  ops  delivered\\n\\u001b[8m'", found: "'a\\tb'" }],
    });
  });

  it('shows names of fields in one line and in their order, too', () => {
    const name = "title: expected 'x'\n✔  ops  delivered\u2028\u202e\u001b[30m";
    const explained = explainMatch(subscription('a', { where: { data: { record: { [name]: ['x'] } } } }), event('1'));
    const path = "data.record.title: expected 'x'\\n✔  ops  delivered\\u2028\\u202e\\u001b[30m";
    expect(explained).toMatchObject({ mismatches: [{ path }] });
  });

  it('returns the types of the subscription, or the mismatches of the content', () => {
    expect(explainMatch(subscription('a'), event('1'))).toEqual({ wanted: true });
    expect(explainMatch(subscription('a', { events: ['invoice.*', 'task.created'] }), event('1'))).toEqual({
      wanted: false,
      because: 'type',
      events: ['invoice.*', 'task.created'],
    });
    expect(explainMatch(subscription('a', { where: wealthy }), event('1', total(300)))).toEqual({
      wanted: false,
      because: 'where',
      mismatches: [{ path: 'data.record.total', expected: 'a number >= 500', found: '300' }],
    });
  });
});

/** Events and a subscription that matches some of them. */
const events = fc.array(
  fc.record({
    type: fc.constantFrom('task.closed', 'task.created', 'invoice.paid'),
    total: fc.constantFrom(100, 500, 900),
    minutes: fc.integer({ min: -60, max: 60 }),
  }),
  { maxLength: 20 },
);
const wish = fc.record({
  events: fc.subarray(['task.*', 'invoice.paid', '*.created', 'person.*'], { minLength: 1 }),
  where: fc.constantFrom(undefined, wealthy, { data: { record: { total: [100] } } }),
});

const build = (all: readonly { type: string; total: number; minutes: number }[]): TidingsEvent[] =>
  all.map((one, index) =>
    event(String(index), { ...total(one.total), type: one.type, time: plus(NOON, one.minutes * MINUTE) }),
  );

/** An in-memory event store. */
const eventStoreOf = (all: readonly TidingsEvent[]) => ({
  list: async ({ since = '', after = '0', limit }: { since?: string; after?: string; limit: number }) => {
    const found = all.slice(Number(after)).filter(({ time }) => time >= since);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const cursor = last === undefined ? after : String(all.indexOf(last) + 1);
    return { events: page, cursor, more: found.length > limit };
  },
});

describe('explainMatch and backtest', () => {
  it('agree with compileMatcher', async () => {
    await fc.assert(
      fc.asyncProperty(events, wish, async (all, { events, where }) => {
        const built = build(all);
        const one = subscription('a', { events, ...(where === undefined ? {} : { where }) });
        const match = compileMatcher([one]);
        const matched = built.filter((event) => match(event).length > 0);
        expect(built.filter((event) => explainMatch(one, event).wanted)).toEqual(matched);
        const whole = { since: plus(NOON, -60 * MINUTE), until: plus(NOON, 60 * MINUTE) };
        expect(await backtest(eventStoreOf(built), one, whole)).toEqual({ recorded: built.length, received: matched });
      }),
    );
  });
});

describe('backtest', () => {
  it('includes both ends of the period, regardless of the order of recording', async () => {
    const built = build([5, -5, 0, 3, -3].map((minutes) => ({ type: 'task.closed', total: 1, minutes })));
    const period = { since: plus(NOON, -3 * MINUTE), until: plus(NOON, 3 * MINUTE) };
    const { recorded, received } = await backtest(eventStoreOf(built), subscription('a'), period);
    expect(recorded).toBe(3);
    expect(received.map(({ id }) => id)).toEqual(['evt_2', 'evt_3', 'evt_4']);
  });

  it('reads several pages', async () => {
    const built = build(Array.from({ length: 1234 }, () => ({ type: 'task.closed', total: 1, minutes: 0 })));
    const { received } = await backtest(eventStoreOf(built), subscription('a'), { since: NOON, until: NOON });
    expect(received).toHaveLength(1234);
  });
});

describe('visitMatches', () => {
  it('does not look into an event that is not visible: its time would tell what is in it', async () => {
    const looked: string[] = [];
    const built = build(['task.closed', 'task.created'].map((type) => ({ type, total: 900, minutes: 0 })));
    const watched = built.map((one) => ({
      ...one,
      get data() {
        looked.push(one.type);
        return one.data;
      },
    }));
    const filter = { events: ['task.*'], where: wealthy };
    const visited: string[] = [];
    const visit = ({ type }: TidingsEvent) => void visited.push(type);
    const period = { since: NOON, until: NOON };
    const isVisible = ({ type }: TidingsEvent) => type === 'task.closed';
    await visitMatches(eventStoreOf(watched), filter, period, visit, { isVisible });
    expect(visited).toEqual(['task.closed']);
    expect(new Set(looked)).toEqual(new Set(['task.closed']));
  });
});
