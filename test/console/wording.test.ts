/** Sentences that are made from parts read as sentences: every event type, every channel, every kind of receiver. */

import { describe, expect, it } from 'vitest';
import { channelRegistry, describeAddress } from '../../adapters/channels/registry.ts';
import { describeSubscription } from '../../console/describe-subscription.ts';
import { eventTypes, sayEvent } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import { buildChatCard } from '../../core/messages/chat-card.ts';
import { PERSON_ROLES } from '../../core/model/subscription.ts';
import { NOON, subscription } from '../samples.ts';

/** Patterns of sentences that were put together wrongly. */
const WRONG = [
  /(?<!each of its )\b(?:assignees|owners|followers) gets\b/,
  /\bwhen fires\b/i,
  /\b(\w+): \1\b/i,
  /\b(\w{3,}) \1\b/i,
  /undefined|\[object|NaN|null\b/,
  / {2}|\.\.|,\s*\.|\s[.,]/,
];

const problemsOf = (text: string) => WRONG.flatMap((pattern) => (pattern.test(text) ? [`${pattern}: ${text}`] : []));

const TARGETS = [...channelRegistry.values()].flatMap(({ name, placeholder }) => [
  { channel: name, settings: placeholder },
  ...(['slack', 'email', 'mattermost', 'rocketChat'].includes(name)
    ? PERSON_ROLES.map((to) => ({ channel: name, settings: { ...(name === 'slack' ? {} : placeholder), to } }))
    : []),
  ...(name === 'email' ? [{ channel: name, settings: { to: ['ann@example.com', 'ben@example.com'] } }] : []),
]);

describe('a subscription in words', () => {
  it.each(TARGETS.map((target) => [describeAddress(target), target] as const))('%s', (_, target) => {
    const address = describeAddress(target);
    const sentences = eventTypes.map(
      ({ type }) => describeSubscription({ events: [type], address }, eventTypes).sentence,
    );
    expect(sentences.flatMap(problemsOf)).toEqual([]);
  });

  it('names people by their role, and several addresses', () => {
    const say = (address: string) => describeSubscription({ events: ['task.overdue'], address }, eventTypes).sentence;
    expect(say('assignees')).toBe('When a task is overdue, each of its assignees gets a message.');
    expect(say('Slack projectmanager')).toBe(
      'When a task is overdue, the manager of its project gets a message in Slack.',
    );
    expect(say('a@x.example, b@x.example')).toBe(
      'When a task is overdue, a@x.example and b@x.example each get a message.',
    );
  });
});

it('a channel and its summary do not repeat each other', () => {
  for (const { label, summary } of channelRegistry.values()) {
    expect(problemsOf(`${label}: ${summary}`)).toEqual([]);
    expect(summary.replace(/\.$/, '').toLowerCase()).not.toBe(label.toLowerCase());
  }
});

it('what is overdue is never due in some days, whenever the message is rendered', () => {
  for (const eventType of eventTypes) {
    const event = exampleEvent(eventType);
    if (event === undefined) continue;
    expect(problemsOf(sayEvent(event))).toEqual([]);
    if (!/overdue|past_end/.test(eventType.type)) continue;
    for (const at of [NOON, '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'] as const) {
      const message = {
        subscription: subscription('any'),
        events: [event] as const,
        delivery: 'dlv_1',
        at,
        timeZone: 'UTC',
      };
      expect([eventType.type, JSON.stringify(buildChatCard(message, { links: {} }))]).toEqual([
        eventType.type,
        expect.not.stringMatching(/\(in \d|\(tomorrow|\(today/),
      ]);
    }
  }
});

it('the rule of an event type reads on after its type', () => {
  for (const { when } of eventTypes) expect(when).toMatch(/^Fires /);
});
