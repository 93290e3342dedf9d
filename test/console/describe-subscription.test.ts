/** What a subscription asks for, in words. */

import { expect, it } from 'vitest';
import { describeSubscription } from '../../console/describe-subscription.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { subscriptionFromQuery } from '../../core/filters/query-compile.ts';

const TYPES = eventTypes.map(({ type }) => type);

it.each([
  ['task.overdue', 'When a task is overdue, Slack gets a message.'],
  ['*', 'When anything happens, Slack gets a message.'],
  ['invoice.*', 'When anything happens to an invoice, Slack gets a message.'],
  ['*.created', 'When an event *.created happens, Slack gets a message.'],
  [
    'task.overdue project:"Website relaunch" daily 08:30 mon-fri',
    'When a task is overdue and its project is “Website relaunch”, Slack gets one message from Monday to Friday at 08:30.',
  ],
  [
    'invoice.paid total>=500 total<1000 -client:Internal',
    'When an invoice is fully paid and its total is at least 500 and less than 1000 and its client is not “Internal”, Slack gets a message.',
  ],
  ['task.overdue assignee:none', 'When a task is overdue and its assignee is empty, Slack gets a message.'],
  [
    'task.overdue due<2026-12-01 title:*report*',
    'When a task is overdue and its due is before 2026-12-01 and its title is like “*report*”, Slack gets a message.',
  ],
  [
    'task.closed quiet 18:00-08:00 sat,sun',
    'When a task was closed, Slack gets a message. Nothing is sent from 18:00 to 08:00, nor on Saturday and Sunday: it is sent afterwards.',
  ],
])('%s', (query, sentence) => {
  const described = describeSubscription({ ...subscriptionFromQuery(query, TYPES), address: 'Slack' }, eventTypes);
  expect(described).toEqual({ sentence, query });
});

it('names the variable that holds the address of the receiver', () => {
  const { sentence } = describeSubscription({ events: ['task.overdue'], address: '${ERP_URL}' }, eventTypes);
  expect(sentence).toBe('When a task is overdue, the receiver whose address is in ERP_URL gets a message.');
});

it('names four kinds of events and counts the others', () => {
  const events = ['task.overdue', 'task.closed', 'task.created', 'invoice.paid', 'invoice.created', 'task.reopened'];
  const { sentence } = describeSubscription({ events, address: 'A' }, eventTypes);
  expect(sentence).toBe(
    'When a task is overdue, a task was closed, a task was created, an invoice is fully paid or 2 more kinds of events happen, A gets a message.',
  );
});

it('says that a filter applies which no query expresses', () => {
  const where = { subject: ['task/1'] };
  const described = describeSubscription({ events: ['task.*'], where, address: 'A' }, eventTypes);
  expect(described).toEqual({
    sentence: 'When anything happens to a task and its content matches the filter, A gets a message.',
  });
});
