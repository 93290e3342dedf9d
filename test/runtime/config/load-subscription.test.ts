import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../../core/model/errors.ts';
import { loadSubscription, parseSubscription } from '../../../runtime/config/load-subscription.ts';

const good = { name: 'late', events: ['task.overdue'], where: { subject: [{ prefix: 'task/' }] } };

function problemsOf(file: unknown, environment: Record<string, string> = {}): readonly string[] {
  try {
    parseSubscription('sub.yaml', stringify(file), environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  }
}

describe('a subscription in its own file', () => {
  it('is returned without its target, which may be missing', () => {
    expect(parseSubscription('sub.yaml', stringify(good), {})).toEqual(good);
    const to = { http: { url: 'http://127.0.0.1:9', secret: '${NOT_SET}' } };
    expect(parseSubscription('sub.json', JSON.stringify({ ...good, to }), {})).toEqual(good);
    expect(problemsOf({ ...good, to: { slack: { webhook: '${NOT_SET}' } }, digest: { at: '08:30' } })).toEqual([]);
  });

  it('expands variables in its filter', () => {
    const where = { data: { record: { client: ['${CLIENT}'] } } };
    expect(parseSubscription('sub.yaml', stringify({ ...good, where }), { CLIENT: 'Acme' }).where).toEqual({
      data: { record: { client: ['Acme'] } },
    });
    expect(problemsOf({ ...good, where })).toEqual([
      'where.data.record.client[0]: expected the environment variable CLIENT to be set',
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', [good], /^expected a section with keys, got a list of 1$/],
    ['an empty file', null, /^expected a section with keys, got an empty value$/],
    [
      'a rate beyond the limit',
      { ...good, rate: '1000000/m' },
      /^rate: expected a rate of at most 999999 per second, minute or hour, got '1000000\/m'$/,
    ],
    ['an unknown key', { ...good, event: 1 }, /^unknown key 'event', did you mean 'events'\?$/],
    ['a whole config', { subscriptions: [good] }, /unknown key 'subscriptions'/],
    ['no name', { events: ['task.*'] }, /^name: expected a name of at most 64 letters, digits, - and _, got nothing$/],
    [
      'an unknown type',
      { ...good, events: ['task.overdu'] },
      /^events\[0\]: .*nearest is 'task.overdue'\), got 'task.overdu'$/,
    ],
    [
      'a type that is too long to be compared with others',
      { ...good, events: [`task.${'x'.repeat(200_000)}`] },
      /^events\[0\]: expected an event type, or a pattern that matches one, got 'task\.xxx/,
    ],
    ['a bad pattern', { ...good, where: { type: 'task.overdue' } }, /^where\.type: expected/],
    ['two channels', { ...good, to: {} }, /^to: expected exactly one of http, slack, /],
  ])('is rejected like in a config: %s', (_, file, problem) => {
    expect(problemsOf(file).join('\n')).toMatch(problem);
  });

  it('is reported by file name when it does not exist', () => {
    expect(() => loadSubscription('/nowhere/sub.yaml', {})).toThrow(
      /subscription '\/nowhere\/sub\.yaml': no such file/,
    );
  });
});
