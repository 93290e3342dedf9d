import { afterEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../../core/model/errors.ts';
import type { Template } from '../../../core/model/subscription.ts';
import { matchingExamples } from '../../../runtime/config/check-template.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { parseSubscription } from '../../../runtime/config/load-subscription.ts';
import { SECRET } from '../../samples.ts';

const source = { baseUrl: 'https://work.example.com/api', token: '${TOKEN}' };
const mail = { from: 'Tidings <t@example.com>', smtp: 'smtp://localhost' };
const to = {
  http: { http: { url: 'https://ops.example.com/', secret: SECRET } },
  slack: { slack: { webhook: 'https://hooks.slack.com/services/x' } },
  email: { email: { to: ['a@example.com'] } },
};

function problemsOf(
  channel: keyof typeof to,
  template: Template,
  { events = ['*'], environment = {}, customEvents = [] as object[] } = {},
): readonly string[] {
  const subscriptions = [{ name: 'one', events, to: to[channel], template }];
  try {
    parseConfig('tidings.yaml', stringify({ source, mail, customEvents, subscriptions }), {
      TOKEN: 'tok',
      ...environment,
    });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('templates of a config', () => {
  it('are valid on a machine that pauses while they are rendered', () => {
    const now = performance.now.bind(performance);
    let [paused, calls] = [0, 0];
    vi.spyOn(performance, 'now').mockImplementation(() => {
      // The first renderings meet a pause each, which uses no CPU time.
      if (calls < 40) paused += 300;
      calls += 1;
      return now() + paused;
    });
    expect(problemsOf('slack', { text: '{% for one in events %}{{ one.event.id }} {% endfor %}' })).toEqual([]);
    expect(calls).toBeGreaterThan(40);
  });

  it('are valid for every event type', () => {
    expect(problemsOf('slack', { text: '{{ line }} {{ time }} {{ by.name }} {{ record.anything }}' })).toEqual([]);
    expect(
      problemsOf('email', { subject: '{{ line }}', text: '{{ summary.title }}', html: '<p>{{ line }}</p>' }),
    ).toEqual([]);
    expect(problemsOf('http', { body: { a: ['{{ record }}', { b: '{{ changes }}' }], c: 1, d: null } })).toEqual([]);
  });

  it('are reported with line, column and expectation when they do not parse', () => {
    expect(problemsOf('slack', { text: 'x\n  {% if record.title %}y' })).toEqual([
      'subscriptions[0].template.text: line 2, column 3: invalid Liquid: tag {% if record.title %} not closed',
    ]);
    expect(problemsOf('http', { body: { lines: ['a', '{{ record.total | mony }}'] } })).toEqual([
      "subscriptions[0].template.body.lines[1]: line 1, column 1: unknown filter 'mony', did you mean 'money'?",
    ]);
  });

  it('must not misspell a name, but may use a field that a record lacks', () => {
    expect(problemsOf('slack', { text: '{{ line }}\n{{ recrod.title }}' })).toEqual([
      "subscriptions[0].template.text: line 2, column 4: unknown name 'recrod', did you mean 'record'?",
    ]);
    expect(problemsOf('slack', { text: '{{ summary.titel }}' })).toEqual([
      "subscriptions[0].template.text: line 1, column 4: unknown name 'summary.titel', did you mean 'summary.title'?",
    ]);
    expect(problemsOf('slack', { text: '{{ line }} {{ record.colour }}' })).toEqual([]);
  });

  it('must render text for every subscribed type, custom ones included', () => {
    expect(
      problemsOf('email', { subject: '{{ record.title }}' }, { events: ['task.closed', 'project.created'] }),
    ).toEqual([
      'subscriptions[0].template.subject: expected some output, got an empty text (of the example of project.created)',
    ]);
    const custom = { type: 'task.in_review', meaning: 'In review.', when: { after: { status: ['Review'] } } };
    const options = { events: ['task.in_review'], customEvents: [custom] };
    expect(problemsOf('slack', { text: '{{ details.meaning }} {{ record.title }}' }, options)).toEqual([]);
    expect(problemsOf('slack', { text: '{{ record.total }}' }, options)).toEqual([
      'subscriptions[0].template.text: expected some output, got an empty text (of the example of task.in_review)',
    ]);
  });

  it('are also rendered with several events if the channel gathers', () => {
    const text = '{% if events.size == 1 %}{{ line }}{% endif %}';
    expect(problemsOf('slack', { text }, { events: ['task.closed', 'task.overdue'] })).toEqual([
      'subscriptions[0].template.text: expected some output, got an empty text (of 2 events together)',
    ]);
  });

  it('are reported once per path, however many types fail', () => {
    expect(problemsOf('slack', { text: '{% for i in (1..99999999) %}x{% endfor %}' })).toHaveLength(1);
  });

  it('never show the values of variables', () => {
    const environment = { PART: '{{ s3cret' };
    const problems = problemsOf('slack', { text: '${PART}' }, { environment });
    expect(problems).toEqual([
      'subscriptions[0].template.text: expected a template that is valid after its variables are replaced, got a value that is not shown here',
    ]);
    expect(problemsOf('slack', { text: '${PART}' }, { environment: { PART: '{{ line }}' } })).toEqual([]);
  });

  it('for the wrong channel cause one problem only', () => {
    expect(problemsOf('slack', { text: '{{ line }}', subject: '{{ recrod }}' })).toEqual([
      'subscriptions[0].template.subject: expected only text for slack',
    ]);
  });

  it('are also checked in the file of a single subscription', () => {
    const text = stringify({ name: 'one', events: ['task.*'], to: to.slack, template: { text: '{{ lnie }}' } });
    expect(() => parseSubscription('one.yaml', text, {})).toThrow(
      /template\.text: line 1, column 4: .*did you mean 'line'/,
    );
  });
});

describe('matchingExamples', () => {
  it('returns one example for each type that a pattern matches', () => {
    const types = matchingExamples(['invoice.over*', 'task.odd'], [{ type: 'task.odd', meaning: 'Odd.' }]).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['invoice.overdue', 'invoice.overdue_reminder', 'task.odd']);
  });
});
