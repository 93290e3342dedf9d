/** What a valid config names but never occurs: it runs, but silently. */

import { describe, expect, it } from 'vitest';
import { findConfigWarnings } from '../../../runtime/config/find-warnings.ts';
import { loadConfig, parseTree } from '../../../runtime/config/load.ts';
import { SECRET } from '../../samples.ts';

const HTTP = { http: { url: 'https://ops.example.com/in', secret: SECRET } };
const SLACK = { slack: { webhook: 'https://hooks.slack.com/services/T0/B0/x' } };

function warnings(change: object): readonly string[] {
  const config = { source: { baseUrl: 'https://work.example.com/api', token: 'x' }, ...change };
  return findConfigWarnings(parseTree('tidings.yaml', config, {})).map(({ path, message }) => `${path}: ${message}`);
}

const subscribe = (part: object) => ({ subscriptions: [{ name: 'ops', events: ['task.*'], to: HTTP, ...part }] });
const text = (text: string, events = ['task.*']) => subscribe({ to: SLACK, events, template: { text } });

describe('a part of a config without effect', () => {
  it.each<readonly [string, object, string]>([
    [
      'a filter',
      subscribe({ where: { data: { record: { severty: ['P1'] } } } }),
      "subscriptions[0].where.data.record.severty: unknown field 'severty', did you mean 'severity'?",
    ],
    [
      'a template variable',
      text('{{ record.tittle }} {{ line }}'),
      "subscriptions[0].template.text: line 1, column 4: unknown field 'tittle', did you mean 'title'?",
    ],
    [
      'a template variable of the whole event',
      text('{{ event.data.record.stauts }} {{ line }}'),
      "subscriptions[0].template.text: line 1, column 4: unknown field 'stauts', did you mean 'status'?",
    ],
    [
      'a template variable in a loop over changes',
      text('{% for change in changes %}{{ change.feild }} {{ change.to }}{% endfor %}{{ line }}'),
      "subscriptions[0].template.text: line 1, column 31: unknown field 'feild', did you mean 'field'?",
    ],
    [
      'a template variable in a loop over events',
      text('{% for one in events %}{{ one.record.titel }} {{ one.line }}{% endfor %}'),
      "subscriptions[0].template.text: line 1, column 27: unknown field 'titel', did you mean 'title'?",
    ],
    [
      'a variable in a JSON body',
      subscribe({ template: { body: { tags: ['{{ record.clinet }}'] } } }),
      "subscriptions[0].template.body.tags[0]: line 1, column 4: unknown field 'clinet', did you mean 'client'?",
    ],
    [
      'a variable of another resource',
      text('{{ record.balance }} {{ line }}'),
      "subscriptions[0].template.text: line 1, column 4: unknown field 'balance', see docs/fields.md",
    ],
    [
      'a custom event type',
      { customEvents: [{ type: 'task.review', meaning: 'In review:', when: { after: { staus: ['Review'] } } }] },
      "customEvents[0].when.after.staus: unknown field 'staus', did you mean 'status'?",
    ],
    [
      'the state before of a custom event type',
      {
        customEvents: [
          { type: 'task.review', meaning: 'R', when: { before: { stauts: ['x'] }, after: { status: ['y'] } } },
        ],
      },
      "customEvents[0].when.before.stauts: unknown field 'stauts', did you mean 'status'?",
    ],
    [
      'a placeholder of a link',
      { links: { task: 'https://work.example.com/t/{locaid}' } },
      "links.task: unknown field 'locaid', did you mean 'localid'?",
    ],
    [
      'a link of an unknown resource',
      { links: { tasks: 'https://work.example.com/t/{id}' } },
      "links.tasks: unknown resource 'tasks', did you mean 'task'?",
    ],
    [
      'a placeholder that is a list',
      { links: { task: 'https://work.example.com/t/{assigneeid}' } },
      'links.task: expected a field with one value, got {assigneeid}, which is a list',
    ],
    [
      'a placeholder with a space',
      { links: { task: 'https://work.example.com/t/{ id }' } },
      'links.task: expected a field in braces such as {localid}, got { id }',
    ],
    [
      'a malformed member id',
      subscribe({ to: { slack: { token: 'x', channel: '#a', mentions: { 'Ann Vogt': '@ann' } } } }),
      "subscriptions[0].to.slack.mentions.Ann Vogt: expected a member id such as U0123456789, got '@ann'",
    ],
    [
      'events of a resource that is not polled',
      subscribe({ events: ['payment.*', 'task.closed'] }),
      "subscriptions[0].events[0]: no source polls payment, so 'payment.*' never occurs: enable it in resources of a source, or add a source that has it",
    ],
  ])('%s', (_, change, expected) => expect(warnings(change)).toEqual([expected]));

  it('reports all of them at once', () => {
    expect(
      warnings({
        links: { tasks: 'https://work.example.com/{id}', invoice: 'https://work.example.com/{locaid}' },
        ...subscribe({
          to: SLACK,
          where: { record: { projectid: [7] } },
          template: { text: 'Task {{ record.tittle }}' },
        }),
      }),
    ).toHaveLength(4);
  });
});

describe('a config that says what it means', () => {
  it.each<readonly [string, object]>([
    ['texts about all events', text('{{ summary.title }}: {{ events.size }} {{ events.first.record.title }}')],
    [
      'details, people and our own texts',
      text('{{ by.name }} {{ link }} {{ line }} {{ time }} {{ record.assignees.size }}'),
    ],
    ['a field of one of several resources', text('{{ record.balance }} {{ record.severity }} {{ line }}', ['*'])],
    ['a value that was assigned', text('{% assign name = record.title | upcase %}{{ name }}')],
    [
      'a polled resource without documented fields',
      {
        source: { baseUrl: 'https://work.example.com/api', token: 'x', resources: { payment: {} } },
        ...subscribe({ events: ['payment.*'], where: { data: { record: { amount: [{ numeric: ['>', 5] }] } } } }),
      },
    ],
    [
      'a custom event type and its subscription',
      {
        customEvents: [{ type: 'task.review', meaning: 'R', when: { after: { status: ['Review'] } } }],
        ...subscribe({ events: ['task.review'], where: { data: { record: { severity: ['P1'] } } } }),
      },
    ],
    [
      'links',
      { links: { task: 'https://x.example/{projectlocalid}/{localid}', milestone: 'https://x.example/{any}' } },
    ],
  ])('%s', (_, change) => expect(warnings(change)).toEqual([]));

  it('like the examples of the project', () => {
    expect(findConfigWarnings(loadConfig('examples/tidings.yaml', {}))).toEqual([]);
  });
});
