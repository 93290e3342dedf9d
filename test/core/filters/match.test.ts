import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, compileMatcher, compileSubscriptions, joinSubscriptions } from '../../../core/filters/match.ts';
import { compilePattern } from '../../../core/filters/pattern.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { UNPACED } from '../../../core/model/pace.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { cpuMillis } from '../../cpu-time.ts';
import { event, subscription } from '../../samples.ts';

const recordEvent = (record: TidingsEvent['data']['record']) => event('1', { data: { ...event('1').data, record } });
const inRecord = (record: Readonly<Record<string, unknown>>) => ({ data: { record } });

describe('compileGlob', () => {
  it.each([
    ['task.closed', 'task.closed', true],
    ['task.closed', 'task.closed_late', false],
    ['task.*', 'task.closed', true],
    ['task.*', 'tasks.closed', false],
    ['*.closed', 'task.closed', true],
    ['*', 'task.closed', true],
    ['task.c*d', 'task.created', true],
    ['task.c*d', 'task.c', false],
    ['task.**c***d', 'task.created', true],
    ['**.closed', 'task.closed', true],
    ['task**.closed*', 'tas.closed', false],
    ['taskXclosed', 'task.closed', false],
    ['task.(closed|created)', 'task.closed', false],
  ])('%s against %s: %s', (glob, type, expected) => {
    expect(compileGlob(glob)(type)).toBe(expected);
  });

  it('takes one `*` after another as one: a key may have 40 such globs in each of its subscriptions', () => {
    const measure = (glob: string) => {
      const matches = compileGlob(glob);
      const begun = cpuMillis();
      for (let count = 0; count < 20_000; count++) matches('task.closed');
      return cpuMillis() - begun;
    };
    measure('t*sk.c*d');
    expect(measure(`t${'*'.repeat(900)}sk.c${'*'.repeat(100)}d`)).toBeLessThan(50);
  });
});

describe('compileMatcher', () => {
  it('compares thousands of long texts in any case without walking through each of them', () => {
    const title = 'Prepare the quarterly review with the board. '.repeat(4);
    const almost = (n: number) => `${title.slice(0, -5).toUpperCase()}${String(n).padStart(5, '0')}`;
    const texts = Array.from({ length: 5000 }, (_, n) => almost(n));
    const operators = texts.flatMap((text) => [
      { 'equals-ignore-case': text },
      { prefix: { 'equals-ignore-case': text } },
      { suffix: { 'equals-ignore-case': `0${text.slice(0, -5)}`.slice(-170) } },
    ]);
    const subscriptions = Array.from({ length: 100 }, (_, n) =>
      subscription(`s${n}`, { where: inRecord({ title: operators.slice(n * 150, (n + 1) * 150) }) }),
    );
    const match = compileMatcher(subscriptions);
    match(recordEvent({ title: 'other' }));
    const begun = cpuMillis();
    for (let n = 0; n < 20; n++) expect(match(recordEvent({ title: `${title}${n}` }))).toEqual([]);
    expect(cpuMillis() - begun).toBeLessThan(500);
  });

  it('compares long texts in any case that fit almost to their end at once, also for each branch', () => {
    const description = 'word '.repeat(1000);
    const almost = Array.from({ length: 46 }, (_, n) => ({
      prefix: { 'equals-ignore-case': `${description.slice(0, -5).toUpperCase()}é${n}` },
    }));
    const branches = Array.from({ length: 35 }, (_, n) => ({ title: [{ prefix: `x${n}` }] }));
    const match = compileMatcher([subscription('s', { where: inRecord({ description: almost, $or: branches }) })]);
    const begun = cpuMillis();
    for (let n = 0; n < 10; n++) expect(match(recordEvent({ title: `x${n}`, description }))).toEqual([]);
    expect(cpuMillis() - begun).toBeLessThan(500);
  });

  it('compiles only what has changed again, however large the filters of the others are', () => {
    const wildcards = (of: number) =>
      Array.from({ length: 200 }, (_, index) => ({ wildcard: `*a long piece ${of}-${index}*` }));
    const many = Array.from({ length: 100 }, (_, index) =>
      subscription(`s${index}`, { where: inRecord({ title: wildcards(index) }) }),
    );
    const one = recordEvent({ id: 1, title: 'short' });
    const measure = (subscriptions: typeof many) => {
      const begun = cpuMillis();
      compileMatcher(subscriptions)(one);
      return cpuMillis() - begun;
    };
    const first = measure(many);
    const again = measure(many.with(0, subscription('s0', { where: inRecord({ title: ['other'] }) })));
    expect(again).toBeLessThan(first / 3);
  });

  it('keeps the same index for the subscriptions of several types, and as long as they are the same', async () => {
    let looks = 0;
    const looked = (number: number) => {
      const value = subscription(`s${number}`, { events: ['task.*'], where: inRecord({ projectid: [`${number}`] }) });
      return new Proxy(value, {
        get: (...asked) => {
          looks += 1;
          return Reflect.get(...asked);
        },
      });
    };
    const list = Array.from({ length: 100 }, (_, number) => looked(number));
    const first = compileSubscriptions(list);
    const match = (compiled: typeof first, type: string) =>
      compiled.match(event('1', { ...recordEvent({ projectid: '7' }), type }), UNPACED);
    expect((await match(first, 'task.closed')).map(({ name }) => name)).toEqual(['s7']);
    looks = 0;
    await match(first, 'task.closed');
    expect(looks).toBeLessThan(5);
    // Another version of the list, with the same subscriptions.
    const second = compileSubscriptions([...list], first.known);
    expect(second.wanting('task.closed')).toBe(first.wanting('task.closed'));
    expect(second.wanting('task.created')).toBe(first.wanting('task.closed'));
    const changed = list.with(3, subscription('s3', { events: ['project.*'] }));
    const third = compileSubscriptions(changed, second.known);
    expect(third.wanting('task.closed')).toEqual(list.toSpliced(3, 1));
    expect((await match(third, 'task.closed')).map(({ name }) => name)).toEqual(['s7']);
  });

  it('tests no filter of a subscription that is left out', async () => {
    let looks = 0;
    const record = {
      get title() {
        looks += 1;
        return 'x';
      },
    };
    const where = inRecord({ title: [{ prefix: 'x' }] });
    const compiled = compileSubscriptions([subscription('gone', { where }), subscription('expired')]);
    expect(await compiled.match(recordEvent(record), UNPACED, { isLeftOut: () => true })).toEqual([]);
    expect(looks).toBe(0);
    expect(
      await compiled.match(recordEvent(record), UNPACED, { isLeftOut: ({ name }) => name === 'expired' }),
    ).toHaveLength(1);
  });

  it('tests filters elsewhere if they may take long, and here if that cannot be done', async () => {
    const titles = Array.from({ length: 180 }, (_, index) => ({ prefix: `no ${index}` }));
    const where = inRecord({ title: [...titles, { prefix: 'x' }] });
    const event = recordEvent({ title: 'x' });
    const costly = Array.from({ length: 7 }, (_, index) => subscription(`costly-${index}`, { where }));
    const compiled = compileSubscriptions([...costly, subscription('all')]);
    const asked: string[][] = [];
    const answer = (matches: (name: string) => boolean | undefined) => ({
      isLeftOut: ({ name }: Subscription) => name === 'costly-1',
      testFilters: async (_: TidingsEvent, list: readonly Subscription[]) => {
        asked.push(list.map(({ name }) => name));
        const answers = list.map(({ name }) => matches(name));
        return answers.includes(undefined) ? undefined : answers.map((one) => one === true);
      },
    });
    const namesOf = async (...given: Parameters<typeof compiled.match>) =>
      (await compiled.match(...given)).map(({ name }) => name);
    const left = ['costly-0', 'costly-2', 'costly-3', 'costly-4', 'costly-5', 'costly-6'];
    const some = answer((name) => name === 'costly-3' || name === 'costly-5');
    expect(await namesOf(event, UNPACED, some)).toEqual(['costly-3', 'costly-5', 'all']);
    expect(asked).toEqual([left]);
    const nobody = answer(() => undefined);
    expect(await namesOf(event, UNPACED, nobody)).toEqual([...left, 'all']);
    asked.splice(0);
    const few = compileSubscriptions(costly.slice(0, 3));
    expect((await few.match(event, UNPACED, some)).map(({ name }) => name)).toEqual(['costly-0', 'costly-2']);
    expect(asked).toEqual([]);
  });

  it('joins lists in the order of all of them', async () => {
    const of = (name: string, ...events: string[]) => subscription(name, { events });
    const [a, b, c, d] = [of('a', '*'), of('b', 'task.closed'), of('c', 'task.*'), of('d', 'invoice.paid')];
    const joined = joinSubscriptions([compileSubscriptions([a, c]), compileSubscriptions([b, d])], [a, b, c, d]);
    const matched = await joined.match(event('1', { type: 'task.closed' }), UNPACED);
    expect(matched).toEqual([a, b, c]);
    expect(joined.wanting('invoice.paid')).toEqual([a, d]);
    expect(joined.wanting('task.created')).toEqual([a, c]);
  });

  it('finds who wants a type among very many globs and types, of which it keeps only the result', async () => {
    const events = [...Array.from({ length: 5000 }, (_, number) => `other${number}*`), 'task.c*', 'invoice.paid'];
    let looks = 0;
    const counted = new Proxy(events, {
      get: (target, key, receiver) => {
        looks += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const one = subscription('many', { events: counted });
    const compiled = compileSubscriptions([one]);
    let paces = 0;
    const types = ['task.closed', 'task.deleted', 'invoice.paid'];
    await compiled.prepare(types, async () => {
      paces += 1;
    });
    expect(paces).toBe(types.length);
    looks = 0;
    expect(types.map((type) => compiled.wanting(type))).toEqual([[one], [], [one]]);
    expect(looks).toBe(0);
  });

  it('does not index thousands of exact values again when another subscription has changed', () => {
    const values = (of: number) => Array.from({ length: 4900 }, (_, index) => `value ${of}-${index}`);
    const many = Array.from({ length: 55 }, (_, index) =>
      subscription(`s${index}`, { where: inRecord({ title: values(index) }) }),
    );
    const named = (subscriptions: typeof many, title: string) =>
      compileMatcher(subscriptions)(recordEvent({ title })).map(({ name }) => name);
    expect(named(many, 'value 54-4899')).toEqual(['s54']);
    const begun = cpuMillis();
    for (let time = 0; time < 10; time++) {
      const changed = many.with(0, subscription('s0', { where: inRecord({ title: [`other ${time}`] }) }));
      expect(named(changed, 'value 7-1')).toEqual(['s7']);
    }
    expect(cpuMillis() - begun).toBeLessThan(150);
  });

  it('names each subscription that wants the event, once, however many of its globs match', () => {
    const match = compileMatcher([
      subscription('all', { events: ['*', 'task.*'] }),
      subscription('created', { events: ['task.created'] }),
      subscription('closed', { events: ['task.closed'] }),
    ]);
    expect(match(event('1', { type: 'task.closed' })).map(({ name }) => name)).toEqual(['all', 'closed']);
    expect(match(event('2', { type: 'task.closed' })).map(({ name }) => name)).toEqual(['all', 'closed']);
    expect(match(event('3', { type: 'task.created' })).map(({ name }) => name)).toEqual(['all', 'created']);
  });

  it('gives an event only to those whose pattern it matches, in the order of the subscriptions', () => {
    const match = compileMatcher([
      subscription('large', { where: inRecord({ total: [{ numeric: ['>=', 500] }] }) }),
      subscription('all'),
      subscription('acme', { where: inRecord({ client: ['Acme'] }) }),
      subscription('nord', { where: inRecord({ client: ['Nord'] }) }),
      subscription('invoices', { events: ['invoice.*'], where: inRecord({ client: ['Acme'] }) }),
      subscription('either', { where: { $or: [inRecord({ client: ['Acme'] }), inRecord({ total: [1] })] } }),
    ]);
    const named = (record: TidingsEvent['data']['record']) => match(recordEvent(record)).map(({ name }) => name);
    expect(named({ client: 'Acme', total: 900 })).toEqual(['large', 'all', 'acme', 'either']);
    expect(named({ client: 'Nord', total: 1 })).toEqual(['all', 'nord', 'either']);
    expect(named({})).toEqual(['all']);
  });

  it('names a subscription once, however many of its values a list holds', () => {
    const match = compileMatcher([subscription('tags', { where: inRecord({ tags: ['a', 'b'] }) })]);
    expect(match(recordEvent({ tags: ['a', 'b', 'a'] }))).toHaveLength(1);
  });

  it('names the subscription whose pattern is none', () => {
    const compile = () => compileMatcher([subscription('ops', { where: { type: 'task.closed' } })]);
    expect(compile).toThrow("subscription 'ops', where: type: expected a list of alternatives, got 'task.closed'");
  });

  it('looks at few of many patterns that name a value each', () => {
    let looks = 0;
    const record = {
      get name() {
        looks++;
        return 'x';
      },
      projectid: '7',
    };
    const subscriptions = Array.from({ length: 1000 }, (_, n) =>
      subscription(`s${n}`, {
        where: inRecord({ name: [{ prefix: 'x' }], projectid: [`${n}`], status: ['Open', 'x', null] }),
      }),
    );
    compileMatcher(subscriptions)(recordEvent(record));
    expect(looks).toBe(1);
  });

  it('finds by its index what trying every pattern finds', () => {
    const value = fc.constantFrom('x', 'y', 1, null);
    const field = fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.constantFrom([{ prefix: 'x' }], ['x', { exists: false }], [{ 'anything-but': 'x' }]),
    );
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c.d'), field, { minKeys: 1 });
    const pattern = fc.oneof(
      fields,
      fc.tuple(fields, fields).map(([one, other]) => ({ $or: [one, other] })),
      fields.map((nested) => ({ list: nested })),
    );
    const entry = fc.dictionary(fc.constantFrom('a', 'b', 'c.d'), fc.oneof(value, fc.array(value)));
    const record = fc.tuple(entry, fc.array(entry)).map(([entry, list]) => ({ ...entry, list }));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 6 }), record, (patterns, record) => {
        const happened = recordEvent(record);
        const subscriptions = patterns.map((pattern, n) => subscription(`s${n}`, { where: inRecord(pattern) }));
        const expected = subscriptions.filter(({ where }) => compilePattern(where)(happened));
        expect(compileMatcher(subscriptions)(happened)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
