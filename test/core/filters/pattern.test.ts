import { describe, expect, it } from 'vitest';
import { compilePattern, PatternError } from '../../../core/filters/pattern.ts';
import { TidingsError } from '../../../core/model/errors.ts';
import { event } from '../../samples.ts';

const matches = (pattern: unknown, event: unknown) => compilePattern(pattern)(event);

/** The kind of event EventBridge's own pages are about, with a field for each of their examples. */
const stateChange = {
  version: '0',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  time: '2017-10-02T18:43:48Z',
  region: 'us-east-1',
  resources: [
    'arn:aws:ec2:us-east-1:123456789012:instance/i-0aaa',
    'arn:aws:ec2:us-east-1:123456789012:instance/i-0bbb',
  ],
  detail: {
    state: 'running',
    'c-count': 5,
    'd-count': 3,
    'x-limit': 301.8,
    eventVersion: '',
    responseElements: null,
    FileName: 'dir/plan.png',
    FilePath: 'home/lib/core.js',
    service: 'EventBridge',
    encrypted: false,
    tags: [],
    'nested-count': { c1: 100 },
  },
};

describe("EventBridge's documented examples", () => {
  it.each<[string, unknown, boolean]>([
    ['all fields named', { source: ['aws.ec2'], detail: { state: ['running'] } }, true],
    ['one field of two', { source: ['aws.ec2'], detail: { state: ['stopped'] } }, false],
    ['one of several values', { detail: { state: ['initializing', 'running'] } }, true],
    ['a list in common with the list', { resources: ['arn:x', stateChange.resources[1]] }, true],
    ['a list with nothing in common', { resources: ['arn:x'] }, false],
    ['the empty text', { detail: { eventVersion: [''] } }, true],
    ['null', { detail: { responseElements: [null] } }, true],
    ['the empty text is not null', { detail: { responseElements: [''] } }, false],
    ['null is not the empty text', { detail: { eventVersion: [null] } }, false],
    ['prefix', { time: [{ prefix: '2017-10-02' }] }, true],
    ['prefix of another day', { time: [{ prefix: '2017-10-03' }] }, false],
    ['prefix of every text', { source: [{ prefix: '' }] }, true],
    ['prefix in any case', { detail: { service: [{ prefix: { 'equals-ignore-case': 'eventb' } }] } }, true],
    ['suffix', { detail: { FileName: [{ suffix: '.png' }] } }, true],
    ['suffix of another kind', { detail: { FileName: [{ suffix: '.jpg' }] } }, false],
    ['suffix in any case', { detail: { service: [{ suffix: { 'equals-ignore-case': 'TBRIDGE' } }] } }, true],
    ['anything-but a text', { detail: { state: [{ 'anything-but': 'initializing' }] } }, true],
    ['anything-but that text', { detail: { state: [{ 'anything-but': 'running' }] } }, false],
    ['anything-but a number', { detail: { 'x-limit': [{ 'anything-but': 123 }] } }, true],
    ['anything-but texts', { detail: { state: [{ 'anything-but': ['stopped', 'overloaded'] }] } }, true],
    ['anything-but numbers', { detail: { 'x-limit': [{ 'anything-but': [100, 200, 301.8] }] } }, false],
    [
      'anything-but in any case',
      { detail: { state: [{ 'anything-but': { 'equals-ignore-case': 'RUNNING' } }] } },
      false,
    ],
    [
      'anything-but several in any case',
      { detail: { state: [{ 'anything-but': { 'equals-ignore-case': ['initializing', 'stopped'] } }] } },
      true,
    ],
    ['anything-but a prefix', { detail: { state: [{ 'anything-but': { prefix: 'init' } }] } }, true],
    ['anything-but that prefix', { region: [{ 'anything-but': { prefix: 'us-' } }] }, false],
    ['anything-but prefixes', { region: [{ 'anything-but': { prefix: ['eu-', 'us-'] } }] }, false],
    ['anything-but a suffix', { detail: { FileName: [{ 'anything-but': { suffix: '.png' } }] } }, false],
    ['anything-but a wildcard', { detail: { FilePath: [{ 'anything-but': { wildcard: '*/lib/*' } }] } }, false],
    ['anything-but wildcards', { detail: { FilePath: [{ 'anything-but': { wildcard: ['*/bin/*', 'x*'] } }] } }, true],
    ['numeric range', { detail: { 'c-count': [{ numeric: ['>', 0, '<=', 5] }] } }, true],
    ['numeric bound', { detail: { 'd-count': [{ numeric: ['<', 10] }] } }, true],
    ['numeric equality in another spelling', { detail: { 'x-limit': [{ numeric: ['=', 3.018e2] }] } }, true],
    ['numeric on a text', { version: [{ numeric: ['=', 0] }] }, false],
    [
      'equals-ignore-case',
      { 'detail-type': [{ 'equals-ignore-case': 'ec2 instance STATE-change notification' }] },
      true,
    ],
    ['exists', { detail: { 'c-count': [{ exists: true }] } }, true],
    ['exists where it is null', { detail: { responseElements: [{ exists: true }] } }, true],
    ['exists in a list', { resources: [{ exists: true }] }, true],
    ['exists where it is missing', { detail: { 'e-count': [{ exists: true }] } }, false],
    ['missing', { detail: { 'e-count': [{ exists: false }] } }, true],
    ['missing with all around it', { extra: { deep: { 'e-count': [{ exists: false }] } } }, true],
    ['missing where it is there', { detail: { 'c-count': [{ exists: false }] } }, false],
    ['exists sees leaves only: a section is none', { detail: { 'nested-count': [{ exists: true }] } }, false],
    ['missing sees leaves only: a section is none', { detail: { 'nested-count': [{ exists: false }] } }, true],
    ['exists in an empty list', { detail: { tags: [{ exists: true }] } }, false],
    ['wildcard', { detail: { FileName: [{ wildcard: 'dir/*.png' }] } }, true],
    ['wildcard of another folder', { detail: { FileName: [{ wildcard: 'doc/*.png' }] } }, false],
    [
      'several operators for one field',
      { detail: { 'c-count': [{ numeric: ['>', 100] }, { 'anything-but': 6 }, 'none'] } },
      true,
    ],
    ['$or by its first branch', { $or: [{ source: ['aws.ec2'] }, { detail: { 'c-count': [99] } }] }, true],
    ['$or by its last branch', { $or: [{ source: ['aws.s3'] }, { detail: { 'c-count': [5] } }] }, true],
    ['$or by none', { $or: [{ source: ['aws.s3'] }, { detail: { 'c-count': [6] } }] }, false],
    ['$or beside a field that fails', { region: ['eu-west-1'], $or: [{ version: ['0'] }, { version: ['1'] }] }, false],
    [
      '$or deep down, with its siblings',
      { detail: { state: ['running'], $or: [{ 'c-count': [{ numeric: ['>', 10] }] }, { 'd-count': [3] }] } },
      true,
    ],
    [
      '$or within $or',
      { $or: [{ source: ['x'] }, { region: ['us-east-1'], $or: [{ version: ['1'] }, { version: ['0'] }] }] },
      true,
    ],
  ])('%s', (_, pattern, expected) => {
    expect(matches(pattern, stateChange)).toBe(expected);
  });
});

describe('a field', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['numbers compare as numbers', [300.0], 3.0e2, true],
    ['a number is not its text', [300], '300', false],
    ['a text is not its number', ['300'], 300, false],
    ['true is true', [true], true, true],
    ['true is not its text', [true], 'true', false],
    ['case matters', ['Open'], 'open', false],
    ['minus zero is zero', [0], -0, true],
    ['prefix looks at texts only', [{ prefix: '3' }], 300, false],
    ['wildcard looks at texts only', [{ wildcard: '*' }], 300, false],
    ['wildcard * is any text', [{ wildcard: '*' }], '', true],
    ['wildcard with an asterisk', [{ wildcard: '\\*new\\* *' }], '*new* task', true],
    ['wildcard with an asterisk, not any run', [{ wildcard: '\\*new' }], 'brand new', false],
    ['wildcard with a backslash', [{ wildcard: 'C:\\\\*' }], 'C:\\temp', true],
    ['any case of a sigma', [{ 'equals-ignore-case': 'ΟΔΟΣ' }], 'οδος', true],
    ['any case, other text', [{ 'equals-ignore-case': 'alice' }], 'alicia', false],
    ['any case looks at texts only', [{ 'equals-ignore-case': 'null' }], null, false],
    ['numeric = misses', [{ numeric: ['=', 1] }], 1.5, false],
    ['numeric >= at the bound', [{ numeric: ['>=', 500] }], 500, true],
    ['numeric > at the bound', [{ numeric: ['>', 500] }], 500, false],
    ['numeric <= at the bound', [{ numeric: ['<=', -1] }], -1, true],
    ['numeric < at the bound', [{ numeric: ['<', -1] }], -1, false],
    ['numeric range, upper end first', [{ numeric: ['<', 10, '>=', 5] }], 5, true],
    ['numeric range of one number', [{ numeric: ['>=', 5, '<=', 5] }], 5, true],
    ['numeric beyond what EventBridge counts to', [{ numeric: ['>', 5e9] }], 6e9, true],
    ['anything-but null', [{ 'anything-but': null }], '2026-11-14', true],
    ['anything-but null is not null', [{ 'anything-but': null }], null, false],
    ['anything-but a mixed list', [{ 'anything-but': ['x', 5, false] }], 5, false],
    ['anything-but accepts other kinds', [{ 'anything-but': 'x' }], null, true],
    ['anything-but a prefix accepts other kinds', [{ 'anything-but': { prefix: 'x' } }], 5, true],
    ['anything-but needs a value', [{ 'anything-but': 'x' }], undefined, false],
    ['anything-but needs a leaf', [{ 'anything-but': 'x' }], { a: 1 }, false],
    ['anything-but matches by one other element', [{ 'anything-but': 'x' }], ['x', 'y'], true],
    ['anything-but in a list of nothing else', [{ 'anything-but': 'x' }], ['x', 'x'], false],
    ['anything-but in an empty list', [{ 'anything-but': 'x' }], [], false],
    ['a list within a list', ['y'], [['x'], [['y']]], true],
    ['missing or a value', [{ exists: false }, 'x'], undefined, true],
    ['missing or a value, and it is another', [{ exists: false }, 'x'], 'y', false],
    ['missing in an empty list', [{ exists: false }], [], true],
    ['missing in a list of sections', [{ exists: false }], [{ a: 1 }], true],
  ])('%s', (_, alternatives, value, expected) => {
    expect(matches({ field: alternatives }, { field: value })).toBe(expected);
  });
});

describe('a list of sections', () => {
  const staff = {
    staff: [{ name: 'Anna', team: 'web', skills: ['css'] }, [{ name: 'Jones', team: 'print', lead: true }]],
  };

  it.each<[string, unknown, boolean]>([
    ['matches by any entry', { staff: { name: ['Jones'] } }, true],
    ['matches by one entry that has all', { staff: { name: ['Anna'], team: ['web'] } }, true],
    ['does not put two entries together', { staff: { name: ['Anna'], team: ['print'] } }, false],
    ['looks into lists within', { staff: { skills: ['css'], team: ['web'] } }, true],
    ['has no absent field that one entry has', { staff: { name: ['Anna'], lead: [{ exists: false }] } }, false],
    ['has absent what no entry has', { staff: { name: ['Anna'], age: [{ exists: false }] } }, true],
  ])('%s', (_, pattern, expected) => {
    expect(matches(pattern, staff)).toBe(expected);
  });
});

describe('a pattern on an event of Tidings', () => {
  const { data } = event('1');
  const changed = event('1', {
    data: { ...data, record: { total: 1200.5 }, changes: [{ field: 'balance', from: 1200.5, to: 0 }] },
  });

  it.each<[string, unknown, boolean]>([
    ['sees the record', { data: { record: { total: [{ numeric: ['>=', 500] }] } } }, true],
    ['sees the envelope', { type: ['task.closed'], source: [{ suffix: '/main' }] }, true],
    ['sees what changed, and to what', { data: { changes: { field: ['balance'], to: [0] } } }, true],
    ['does not see what changed otherwise', { data: { changes: { field: ['balance'], to: [1] } } }, false],
  ])('%s', (_, pattern, expected) => {
    expect(matches(pattern, changed)).toBe(expected);
  });
});

describe('compilePattern', () => {
  it('matches own properties only', () => {
    expect(matches({ constructor: { name: ['Object'] } }, {})).toBe(false);
    expect(matches({ toString: [{ exists: false }] }, {})).toBe(true);
    expect(matches(JSON.parse('{ "__proto__": ["x"] }'), JSON.parse('{ "__proto__": "x" }'))).toBe(true);
  });

  it('supports lists nested deeper than the call stack', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(matches({ a: ['x'] }, { a: deep })).toBe(true);
    expect(matches({ a: { b: ['x'] } }, { a: deep })).toBe(false);
  });

  it('throws an error that carries every problem', () => {
    const compile = () => compilePattern({ a: 1, b: [] });
    expect(compile).toThrow(TidingsError);
    expect(compile).toThrow(
      'pattern: a: expected a list of alternatives, got 1; b: expected a list of alternatives, got an empty list',
    );
    try {
      compile();
    } catch (error) {
      expect(error).toBeInstanceOf(PatternError);
      expect(error).toMatchObject({ code: 'TIDINGS_PATTERN_INVALID', problems: [{ path: 'a' }, { path: 'b' }] });
    }
  });
});

describe('operators beyond EventBridge', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['a date before', [{ date: ['<', '2026-12-01'] }], '2026-11-30', true],
    ['a date not before', [{ date: ['<', '2026-12-01'] }], '2026-12-01', false],
    ['the day of a time', [{ date: ['=', '2026-12-01'] }], '2026-12-01T23:59:59.000Z', true],
    ['a range of dates', [{ date: ['>=', '2026-12-01', '<', '2027-01-01'] }], '2026-12-31', true],
    ['no date', [{ date: ['<', '2026-12-01'] }], '2026-1', false],
    ['no date, but null', [{ date: ['<', '2026-12-01'] }], null, false],
    ['none of two, another', [{ 'none-of': ['x', { prefix: 'y' }] }], 'z', true],
    ['none of two, one of them', [{ 'none-of': ['x', { prefix: 'y' }] }], 'yes', false],
    ['none of two, in a list', [{ 'none-of': ['x', { prefix: 'y' }] }], ['z', 'x'], false],
    ['none of a list without them', [{ 'none-of': ['x'] }], ['z', 'w'], true],
    ['none of an empty list', [{ 'none-of': ['x'] }], [], true],
    ['none of, or a value', ['x', { 'none-of': ['x', 'y'] }], 'x', true],
    ['none of two lists', [{ 'none-of': ['x'] }, { 'none-of': ['y'] }], ['x'], true],
  ])('%s', (_, alternatives, value, expected) => {
    expect(matches({ f: alternatives }, { f: value })).toBe(expected);
  });

  it('a missing field has none of the values', () => {
    expect(matches({ f: [{ 'none-of': ['x'] }] }, {})).toBe(true);
    expect(matches({ f: { g: [{ 'none-of': ['x'] }] } }, {})).toBe(true);
  });

  it('refuse operands that match nothing', () => {
    for (const alternative of [
      { date: ['<', '2026-13-01'] },
      { date: ['<', 5] },
      { date: ['>', '2026-12-01', '<', '2026-11-01'] },
      { 'none-of': [] },
      { 'none-of': 'x' },
      { 'none-of': [{ exists: false }] },
      { 'none-of': [{ 'none-of': ['x'] }] },
    ]) {
      expect(() => compilePattern({ f: [alternative] })).toThrow(PatternError);
    }
  });
});
