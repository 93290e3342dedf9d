import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../core/events/catalogue.ts';
import { compilePattern } from '../../../core/filters/pattern.ts';
import { printQuery, type Query, type QueryCondition, QueryError, SIGNS } from '../../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import { parseQuery } from '../../../core/filters/query-parse.ts';
import { WEEKDAYS } from '../../../core/model/subscription.ts';

const TYPES = eventTypes.map(({ type }) => type);

const compile = (text: string) => subscriptionFromQuery(text, TYPES);

/** The messages of the problems; fails if there are none. */
function problemsOf(text: string): readonly string[] {
  try {
    compile(text);
  } catch (error) {
    if (error instanceof QueryError) return error.problems.map(({ message }) => message);
    throw error;
  }
  throw new Error(`${text} has no problem`);
}

describe('a query', () => {
  /** What people type, and its standard form. */
  it.each([
    ['task.overdue', 'task.overdue'],
    ['Task.Overdue', 'task.overdue'],
    ['  task.overdue   invoice.paid ', 'task.overdue invoice.paid'],
    ['task.overdue,invoice.paid', 'task.overdue invoice.paid'],
    ['task.overdue, invoice.paid', 'task.overdue invoice.paid'],
    ['task.overdue task.overdue', 'task.overdue'],
    ['task.*', 'task.*'],
    ['*', '*'],
    ['*.created', '*.created'],
    ['task.overdue project:Website', 'task.overdue project:Website'],
    ['task.overdue PROJECT:Website', 'task.overdue project:Website'],
    ['task.overdue project:"Website relaunch"', 'task.overdue project:"Website relaunch"'],
    ['task.overdue project:“Website relaunch”', 'task.overdue project:"Website relaunch"'],
    ['task.overdue project:„Website relaunch“', 'task.overdue project:"Website relaunch"'],
    ['task.overdue project:"Website relaunch”', 'task.overdue project:"Website relaunch"'],
    ['task.overdue project:"Smith & Sons"', 'task.overdue project:"Smith & Sons"'],
    ['task.overdue project:R&D', 'task.overdue project:R&D'],
    ['task.overdue title:"say \\"hello\\""', 'task.overdue title:"say \\"hello\\""'],
    ['task.overdue title:"a\\\\b"', 'task.overdue title:"a\\\\b"'],
    ['task.* title:*report*', 'task.* title:*report*'],
    ['task.* title:"Q4 "*', 'task.* title:"Q4 "*'],
    ['task.* title:"100*"', 'task.* title:"100*"'],
    ['task.* title:a**b', 'task.* title:a*b'],
    ['task.* -status:Draft', 'task.* -status:Draft'],
    ['task.* -status:"In Progress" -status:Staged', 'task.* -status:"In Progress" -status:Staged'],
    ['task.overdue assignee:none', 'task.overdue assignee:none'],
    ['task.overdue assignee:None', 'task.overdue assignee:none'],
    ['task.overdue title:"none"', 'task.overdue title:"none"'],
    ['task.overdue -assignee:none', 'task.overdue -assignee:none'],
    ['invoice.paid total>=500', 'invoice.paid total>=500'],
    ['invoice.paid total >= 500', 'invoice.paid total>=500'],
    ['invoice.paid total ≥ 500', 'invoice.paid total>=500'],
    ['invoice.paid total≤500', 'invoice.paid total<=500'],
    ['invoice.paid total>1,000', 'invoice.paid total>1000'],
    ['invoice.paid total>1000.50', 'invoice.paid total>1000.5'],
    ['invoice.amount_changed total<-5', 'invoice.amount_changed total<-5'],
    ['invoice.* balance=0', 'invoice.* balance=0'],
    ['invoice.* -total<100', 'invoice.* -total<100'],
    ['task.overdue due<2026-12-01', 'task.overdue due<2026-12-01'],
    ['task.overdue due:2026-12-01', 'task.overdue due:2026-12-01'],
    ['task.due_soon due >= 2026-12-01', 'task.due_soon due>=2026-12-01'],
    ['task.overdue priority:P1', 'task.overdue priority:P1'],
    ['task.overdue priority<=2', 'task.overdue priority<=2'],
    ['task.overdue daily 08:30', 'task.overdue daily 08:30'],
    ['task.overdue daily 8:30', 'task.overdue daily 08:30'],
    ['task.overdue daily 8.30', 'task.overdue daily 08:30'],
    ['task.overdue daily at 9am', 'task.overdue daily 09:00'],
    ['task.overdue daily 9:15pm', 'task.overdue daily 21:15'],
    ['task.overdue daily 12am', 'task.overdue daily 00:00'],
    ['task.overdue daily 12pm', 'task.overdue daily 12:00'],
    ['task.overdue daily 08:30 mon-fri', 'task.overdue daily 08:30 mon-fri'],
    ['task.overdue daily 08:30 Mon–Fri', 'task.overdue daily 08:30 mon-fri'],
    ['task.overdue daily mon-fri 08:30', 'task.overdue daily 08:30 mon-fri'],
    ['task.overdue daily 08:30 on mon,wed,fri', 'task.overdue daily 08:30 mon,wed,fri'],
    ['task.overdue daily 08:30 mondays and thursdays', 'task.overdue daily 08:30 mon,thu'],
    ['task.overdue daily 08:30 weekdays', 'task.overdue daily 08:30 mon-fri'],
    ['task.overdue daily 08:30 fri-mon', 'task.overdue daily 08:30 mon,fri-sun'],
    ['task.overdue weekdays 08:30', 'task.overdue daily 08:30 mon-fri'],
    ['task.overdue weekdays at 9am', 'task.overdue daily 09:00 mon-fri'],
    ['task.overdue weekly mon 09:00', 'task.overdue daily 09:00 mon'],
    ['task.overdue weekly 09:00 on Tuesday', 'task.overdue daily 09:00 tue'],
    ['daily 08:30 task.overdue', 'task.overdue daily 08:30'],
    ['task.* quiet 18:00-08:00', 'task.* quiet 18:00-08:00'],
    ['task.* quiet 6pm-8am', 'task.* quiet 18:00-08:00'],
    ['task.* quiet 18:00 to 08:00', 'task.* quiet 18:00-08:00'],
    ['task.* quiet from 6pm to 8am', 'task.* quiet 18:00-08:00'],
    ['task.* quiet sat,sun', 'task.* quiet sat,sun'],
    ['task.* quiet weekends', 'task.* quiet sat,sun'],
    ['task.* quiet 18:00-08:00 weekend', 'task.* quiet 18:00-08:00 sat,sun'],
    ['task.* daily 08:30 quiet weekends', 'task.* daily 08:30 quiet sat,sun'],
    [
      'task.overdue invoice.paid project:"Website relaunch" -status:Draft total>=500 daily 08:30 mon-fri',
      'task.overdue invoice.paid project:"Website relaunch" -status:Draft total>=500 daily 08:30 mon-fri',
    ],
  ])('%s means %s', (typed, standard) => {
    expect(printQuery(parseQuery(typed))).toBe(standard);
    expect(() => compile(typed)).not.toThrow();
  });

  it.each([
    ['', 'expected at least one event type, such as task.overdue or invoice.*'],
    ['overdue', "'overdue' is unknown: did you mean task.overdue or invoice.overdue?"],
    ['paid', "'paid' is unknown: did you mean invoice.paid?"],
    ['task.overdu', 'no event type is called task.overdu: did you mean task.overdue?'],
    ['tasks.*', 'no event type is called tasks.*: did you mean task.*?'],
    ['task.overdue dialy 08:30', "'dialy' is unknown: did you mean daily?"],
    ['task.overdue 08:30', "expected 'daily' or 'quiet' before '08:30'"],
    ['task.overdue mon-fri', "expected 'daily' or 'quiet' before 'mon-fri'"],
    ['task.overdue daily', "expected one time of day after 'daily', such as 'daily 08:30'"],
    ['task.overdue daily 25:00', "expected one time of day after 'daily', such as 'daily 08:30'"],
    ['task.overdue daily 08:30 daily 09:30', 'expected one digest, got two'],
    ['task.overdue weekly 08:30', "expected one day, such as 'weekly mon 08:30'"],
    ['task.overdue quiet', "expected hours or days after 'quiet'"],
    ['task.overdue quiet 18:00', "expected two times after 'quiet', such as 'quiet 18:00-08:00'"],
    ['task.overdue quiet 08:00-08:00', 'expected two different times'],
    ['task.overdue projct:Website', "task events have no 'projct': did you mean 'project'?"],
    ['client.created total>5', "client events have no 'total'"],
    ['task.overdue project:', "expected a value after 'project:'"],
    ['task.overdue title:"Website', 'expected a closing quote after "Website'],
    ['task.overdue :Website', "expected the name of a field before ':'"],
    ['invoice.paid total>lots', "expected a number or a date such as 2026-12-01 after '>', got 'lots'"],
    ['invoice.paid total>2026-12-01', 'expected a number, because the field is no date'],
    ['task.overdue due<5', 'expected a date such as 2026-12-01, because the field is no number'],
    ['task.overdue due:tomorrow', "expected a date such as 2026-12-01, got 'tomorrow'"],
    ['task.overdue due:2026-02-30', "expected a date such as 2026-12-01, got '2026-02-30'"],
    ['task.overdue title>5', "expected ':' and a text, because the field is no number"],
    ['project.updated active:maybe', "expected yes or no, got 'maybe'"],
    ['invoice.paid total:much', "expected a number, got 'much'"],
    ['invoice.paid total:5*', "expected a value without '*'"],
    ['task.* source:*', "expected ':' and the name of a source"],
    ['task.* source:n*', "source:n*: expected ':' and the name of a source"],
    ['task.* source:none', "source:none: expected ':' and the name of a source"],
    ['task.* source:/tidings', "expected ':' and the name of a source"],
    ['task.* source>5', "source>5: expected ':' and the name of a source"],
    ['task.* source:main -source:north', 'source:main: expected either sources or excluded ones'],
    ['task.* sorce:main', "task events have no 'sorce': did you mean 'source'?"],
  ])('%s is refused: %s', (typed, message) => {
    expect(problemsOf(typed).join('; ')).toContain(message);
  });

  it.each([
    ['  task.ovrdue', 2, 'task.ovrdue'],
    ['task.overdue total >=  x', 13, 'total >=  x'],
    ['Task.overdue,task.x', 0, 'Task.overdue,task.x'],
    ['task.overdue  projct : x', 14, 'projct'],
    ['task.overdue title:"open', 19, '"open'],
    ['', 0, ''],
  ])('%j is refused with the place of the word', (text, at, word) => {
    try {
      compile(text);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      expect(error.problems[0]).toMatchObject({ at, word });
      expect(text.slice(at, at + word.length)).toBe(word);
      return;
    }
    throw new Error('no problem');
  });

  it('is refused with all of its problems at once', () => {
    expect(problemsOf('task.overdue projct:x due:soon quiet').length).toBe(1);
    expect(problemsOf('task.overdue projct:x due:soon').length).toBe(2);
    expect(problemsOf(`task.overdue ${'x'.repeat(2000)}`)).toEqual(['expected at most 2000 characters, got 2013']);
  });
});

describe('the pattern of a query', () => {
  const matches = (query: string, type: string, record: object) =>
    compilePattern(compile(query).where)({ type, data: { record } });

  it('is what was typed, without hidden defaults', () => {
    expect(compile('task.overdue')).toEqual({ events: ['task.overdue'] });
    expect(compile('task.overdue project:Website daily 08:30')).toEqual({
      events: ['task.overdue'],
      where: { data: { record: { project: [{ 'equals-ignore-case': 'Website' }] } } },
      digest: { at: '08:30' },
    });
  });

  it('matches any value of the same key, and all keys', () => {
    const query = 'task.* project:One project:Two status:Open';
    expect(matches(query, 'task.closed', { project: 'one', status: 'Open' })).toBe(true);
    expect(matches(query, 'task.closed', { project: 'TWO', status: 'Open' })).toBe(true);
    expect(matches(query, 'task.closed', { project: 'Three', status: 'Open' })).toBe(false);
    expect(matches(query, 'task.closed', { project: 'One', status: 'Staged' })).toBe(false);
  });

  it('excludes a record when any of its values is excluded', () => {
    const query = 'task.* -assignee:"Ann Lee" -assignee:Bob';
    expect(matches(query, 'task.closed', { assignees: ['Cy'] })).toBe(true);
    expect(matches(query, 'task.closed', { assignees: [] })).toBe(true);
    expect(matches(query, 'task.closed', {})).toBe(true);
    expect(matches(query, 'task.closed', { assignees: ['Cy', 'Ann Lee'] })).toBe(false);
    expect(matches(query, 'task.closed', { assignees: ['bob'] })).toBe(false);
  });

  it('asks for a missing value, or for any value', () => {
    for (const empty of [{}, { assignees: [] }, { assignees: null }]) {
      expect(matches('task.* assignee:none', 'task.closed', empty)).toBe(true);
      expect(matches('task.* -assignee:none', 'task.closed', empty)).toBe(false);
      expect(matches('task.* -assignee:none -assignee:Ann', 'task.closed', empty)).toBe(false);
    }
    expect(matches('task.* assignee:none', 'task.closed', { assignees: ['Ann'] })).toBe(false);
    expect(matches('task.* -assignee:none', 'task.closed', { assignees: ['Ann'] })).toBe(true);
    expect(matches('task.* -assignee:none -assignee:Ann', 'task.closed', { assignees: ['Ann'] })).toBe(false);
    expect(matches('task.* -assignee:none -assignee:Ann', 'task.closed', { assignees: ['Bob'] })).toBe(true);
  });

  it('requires what is asked for and what is excluded of the same field', () => {
    const query = 'task.* title:*report* -title:Draft*';
    expect(matches(query, 'task.closed', { title: 'Final report' })).toBe(true);
    expect(matches(query, 'task.closed', { title: 'Draft report' })).toBe(false);
    expect(matches(query, 'task.closed', { title: 'Final text' })).toBe(false);
  });

  it('joins two bounds into a range', () => {
    const query = 'invoice.* total>=500 total<1000';
    expect(matches(query, 'invoice.paid', { total: 500 })).toBe(true);
    expect(matches(query, 'invoice.paid', { total: 1000 })).toBe(false);
    expect(matches(query, 'invoice.paid', { total: 1 })).toBe(false);
    expect(matches('invoice.* total<500 total>1000', 'invoice.paid', { total: 1 })).toBe(true);
    expect(matches('invoice.* total<500 total>1000', 'invoice.paid', { total: 700 })).toBe(false);
  });

  it('compares dates and times by day', () => {
    expect(matches('task.* due<2026-12-01', 'task.closed', { datedue: '2026-11-30' })).toBe(true);
    expect(matches('task.* due<2026-12-01', 'task.closed', { datedue: '2026-12-01' })).toBe(false);
    expect(matches('task.* due<2026-12-01', 'task.closed', { datedue: null })).toBe(false);
    const modified = { datemodified: '2026-12-01 09:30:00' };
    expect(matches('task.* datemodified:2026-12-01', 'task.closed', modified)).toBe(true);
  });

  it('applies a condition to the resources that have its field', () => {
    const query = 'task.overdue invoice.paid project:Website total>=500';
    expect(matches(query, 'task.overdue', { project: 'Website' })).toBe(true);
    expect(matches(query, 'task.overdue', { project: 'Other' })).toBe(false);
    expect(matches(query, 'invoice.paid', { project: 'Website', total: 500 })).toBe(true);
    expect(matches(query, 'invoice.paid', { project: 'Website', total: 499 })).toBe(false);
  });

  it('takes the source from the envelope, for all resources', () => {
    expect(compile('task.overdue source:main').where).toEqual({ source: ['/sources/main'] });
    const query = 'task.overdue invoice.paid source:main source:north total>=500';
    const isWanted = (source: string, type: string, record: object) =>
      compilePattern(compile(query).where)({ type, source, data: { record } });
    expect(isWanted('/sources/main', 'task.overdue', {})).toBe(true);
    expect(isWanted('/sources/south', 'task.overdue', {})).toBe(false);
    expect(isWanted('/sources/north', 'invoice.paid', { total: 500 })).toBe(true);
    expect(isWanted('/sources/north', 'invoice.paid', { total: 499 })).toBe(false);
    expect(isWanted('/sources/south', 'invoice.paid', { total: 500 })).toBe(false);
    const others = compilePattern(compile('* -source:main -source:north').where);
    expect(['/sources/main', '/sources/south', '/tidings'].map((source) => others({ source }))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('reads ids, ranks and names by the field', () => {
    expect(compile('task.* projectid:7').where).toEqual({ data: { record: { projectid: ['7'] } } });
    expect(compile('task.* priority:P1').where).toEqual({
      data: { record: { severity: [{ 'equals-ignore-case': 'P1' }] } },
    });
    expect(compile('task.* priority<=2').where).toEqual({ data: { record: { priority: [{ numeric: ['<=', 2] }] } } });
    expect(compile('project.updated active:no').where).toEqual({ data: { record: { active: [false] } } });
    expect(compile('project.past_end project:Website').where).toEqual({
      data: { record: { name: [{ 'equals-ignore-case': 'Website' }] } },
    });
  });
});

describe('printing and parsing a query', () => {
  const isText = (value: string) => ({ key: 'project', isExcluded: true, test: { kind: 'is' as const, text: value } });
  // Random graphemes are hardly ever quotes or backslashes.
  const character = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'"“”„\\: *'),
  );
  const text = fc.string({ unit: character, minLength: 1, maxLength: 12 });
  const like = fc
    .array(fc.oneof(fc.constant(''), text), { minLength: 2, maxLength: 4 })
    // Two asterisks in a row are one.
    .filter((pieces) => pieces.slice(1, -1).every((piece) => piece !== ''));
  const day = fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
  const bound = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.integer({ min: 1, max: 99_999 }).map((cents) => cents / 100),
    day,
  );
  const condition: fc.Arbitrary<QueryCondition> = fc.record({
    key: fc.constantFrom('project', 'status', 'due', 'total', 'second_tax', 'x1'),
    isExcluded: fc.boolean(),
    test: fc.oneof(
      fc.record({ kind: fc.constant('is' as const), text }),
      fc.record({ kind: fc.constant('like' as const), pieces: like }),
      fc.constant({ kind: 'none' as const }),
      fc.record({ kind: fc.constant('compare' as const), sign: fc.constantFrom(...SIGNS), bound }),
    ),
  });
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const days = fc.subarray([...WEEKDAYS], { minLength: 1 });
  const query: fc.Arbitrary<Query> = fc.record(
    {
      events: fc.uniqueArray(fc.constantFrom('*', 'task.*', 'task.overdue', '*.created'), { maxLength: 3 }),
      conditions: fc.array(condition, { maxLength: 4 }),
      digest: fc.record({ at: time, days }, { requiredKeys: ['at'] }),
      quiet: fc.oneof(
        fc.record({ days }),
        fc
          .record({ from: time, until: time, days }, { requiredKeys: ['from', 'until'] })
          .filter(({ from, until }) => from !== until),
      ),
    },
    { requiredKeys: ['events', 'conditions'] },
  );

  it('never reads the text of a condition as further words', () => {
    const one = { events: ['task.overdue'], conditions: [isText('Shop” invoice.* -title:“x')] };
    expect(parseQuery(printQuery(one))).toEqual(one);
  });

  it('gives the same query', () => {
    fc.assert(
      fc.property(query, (one) => {
        expect(parseQuery(printQuery(one))).toEqual(one);
      }),
    );
  });

  it('fails for any text only with a query error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (typed) => {
        try {
          compile(typed);
        } catch (error) {
          expect(error).toBeInstanceOf(QueryError);
        }
      }),
    );
  });
});
