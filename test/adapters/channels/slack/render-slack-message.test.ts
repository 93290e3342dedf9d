import { describe, expect, it } from 'vitest';
import { renderSlackMessage } from '../../../../adapters/channels/slack/render-slack-message.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import {
  blocksOf,
  example,
  factsOf,
  links,
  outboundMessage,
  richPieces,
  tasks,
  textObjects,
  wordsOf,
} from './slack-samples.ts';

const rendered = (...given: Parameters<typeof example>) =>
  renderSlackMessage(outboundMessage([example(...given)]), links);
const changed = (field: string, from: string | null, to: string | null, record = {}) =>
  factsOf(rendered('task.updated', record, { changes: [{ field, from, to }] }));

describe('a message about one event', () => {
  it('has a headline with a link to the record, and the facts next to a coloured bar', () => {
    expect(rendered('task.overdue')).toEqual({
      text: 'Task “Proofread the newsletter” has been overdue since Sat 21 Nov (Website relaunch, Northwind Traders)',
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: '🔴 ' },
                { type: 'text', text: 'Task ' },
                {
                  type: 'link',
                  url: 'https://work.example.com/tasks/view/27',
                  text: 'Proofread the newsletter',
                  style: { bold: true },
                },
                { type: 'text', text: ' has been overdue since Sat 21 Nov' },
              ],
            },
          ],
        },
      ],
      attachments: [
        {
          color: '#e01e5a',
          fallback:
            'Task “Proofread the newsletter” has been overdue since Sat 21 Nov (Website relaunch, Northwind Traders)',
          blocks: [
            {
              type: 'section',
              fields: [
                { type: 'mrkdwn', text: '*Project*\nWebsite relaunch', verbatim: true },
                { type: 'mrkdwn', text: '*Client*\nNorthwind Traders', verbatim: true },
                { type: 'mrkdwn', text: '*Assigned to*\nAnn Vogt', verbatim: true },
                { type: 'mrkdwn', text: '*Owned by*\nBen Okafor', verbatim: true },
                { type: 'mrkdwn', text: '*Due*\nFri 20 Nov (4 days late)', verbatim: true },
                { type: 'mrkdwn', text: '*Status*\nIn Progress', verbatim: true },
                { type: 'mrkdwn', text: '*Priority*\nP2', verbatim: true },
                { type: 'mrkdwn', text: '*Estimate*\n6 h', verbatim: true },
              ],
            },
            {
              type: 'context',
              elements: [
                {
                  type: 'mrkdwn',
                  text: '<!date^1795215600^{date_short_pretty}, {time}|21 Nov 2026, 00:00 Europe/Berlin>',
                },
                { type: 'plain_text', text: 'task.overdue', emoji: false },
              ],
            },
          ],
        },
      ],
    });
  });

  it('is readable for every event type', () => {
    for (const { type } of eventTypes) {
      const message = rendered(type);
      const words = [wordsOf(message.blocks), ...textObjects(blocksOf(message)).map(({ text }) => text)].join('\n');
      expect(words, type).not.toMatch(/undefined|null|\[object|NaN|none → none| {2}/);
      expect(wordsOf(message.blocks), type).toMatch(/^\S+ \S.{5,}\S$/u);
      expect(message.attachments, type).toHaveLength(1);
    }
  });

  it('shows names instead of ids', () => {
    const labels = eventTypes.flatMap(({ type }) => Object.keys(factsOf(rendered(type))));
    expect(labels.length).toBeGreaterThan(100);
    expect(labels.filter((label) => /id$/.test(label))).toEqual([]);
  });

  it.each([
    ['task.closed', '#2eb67d', '✅'],
    ['task.assigned', '#6b8fb5', '🔹'],
    ['task.due_soon', '#ecb22e', '⏳'],
    ['invoice.overdue', '#e01e5a', '🔴'],
  ])('has the colour and the symbol of %s', (type, color, mark) => {
    const { blocks, attachments } = rendered(type);
    expect(attachments?.[0]?.color).toBe(color);
    expect(wordsOf(blocks).startsWith(mark)).toBe(true);
  });

  it('shows the payment, the total and the balance', () => {
    const message = rendered('invoice.payment_received');
    expect(wordsOf(message.blocks)).toBe('✅ Payment of 500.00 received on invoice Website relaunch, October');
    expect(factsOf(message)).toEqual({
      Client: 'Northwind Traders',
      Project: 'Website relaunch',
      Received: '500.00',
      Total: '1,200.50',
      'Left to pay': '700.50',
      Due: 'Mon 30 Nov',
    });
    const second = rendered('invoice.payment_received', { payments: 900, balance: 300.5 });
    expect(factsOf(second)).toMatchObject({ Received: '500.00', 'Paid so far': '900.00', 'Left to pay': '300.50' });
  });

  it('omits payments and balances of zero', () => {
    expect(factsOf(rendered('invoice.overdue'))).not.toHaveProperty('Paid so far');
    expect(factsOf(rendered('invoice.paid'))).toMatchObject({ Total: '1,200.50', 'Paid on': 'Sat 14 Nov' });
    expect(factsOf(rendered('invoice.paid'))).not.toHaveProperty('Left to pay');
    expect(factsOf(rendered('invoice.payment_reversed'))).toMatchObject({
      Reversed: '500.00',
      'Left to pay': '1,200.50',
    });
  });

  it.each([
    ['2026-11-23', 'Mon 23 Nov (1 day late)'],
    ['2025-11-24', 'Mon 24 Nov 2025 (365 days late)'],
    // The date was moved after the event: an overdue task is not due in the future.
    ['2026-11-25', 'Wed 25 Nov'],
  ])('counts the days since %s to the day of the message in its zone', (datedue, due) => {
    expect(factsOf(rendered('task.overdue', { datedue })).Due).toBe(due);
  });

  it.each([
    ['2026-11-24', 'Tue 24 Nov (today)'],
    ['2026-11-25', 'Wed 25 Nov (tomorrow)'],
    ['2026-12-04', 'Fri 4 Dec (in 10 days)'],
  ])('counts the days until %s', (datedue, due) => {
    expect(factsOf(rendered('task.due_soon', { datedue })).Due).toBe(due);
  });

  it('shows the assignees and the author', () => {
    const message = rendered('task.assigned', {}, { by: { id: '2', name: 'Ben Okafor' } });
    expect(wordsOf(message.blocks)).toBe('🔹 Task Proofread the newsletter was assigned to Ann Vogt');
    expect(factsOf(message)).toMatchObject({ 'Changed by': 'Ben Okafor', 'Assigned to': 'now Ann Vogt' });
    expect(factsOf(rendered('task.unassigned'))['Assigned to']).toBe('Ann Vogt (no longer Zoë Lind)');
  });

  it.each([
    ['a day', changed('datedue', '2026-11-18', '2026-11-20'), { Due: 'Wed 18 Nov → Fri 20 Nov' }],
    ['a day that is gone', changed('datedue', '2026-11-18', null), { Due: 'Wed 18 Nov → none' }],
    ['HTML as its words', changed('summary', '<p>a &amp; b</p>', ''), { Description: 'a & b → none' }],
    ['an id with its name', changed('milestoneid', '1', '6', { milestone: 'Go-live' }), { Milestone: 'now Go-live' }],
    ['a field nobody named', changed('second_tax', '1', '2'), { 'Second tax': '1 → 2' }],
    ['the status by its names', factsOf(rendered('task.status_changed')), { Status: 'Open → In Progress' }],
  ])('shows a change of %s', (_, facts, expected) => {
    expect(facts).toMatchObject(expected);
  });

  it('shows ten facts, and counts further changes', () => {
    const changes = Array.from({ length: 12 }, (_, index) => ({ field: `f${index}`, from: 1, to: 2 }));
    const message = rendered('task.updated', {}, { changes });
    expect(Object.keys(factsOf(message))).toHaveLength(10);
    expect(textObjects(blocksOf(message)).at(-1)?.text).toBe('and 10 more changes');
  });

  it('has advice if a person has to act', () => {
    const advice = (type: string, name: string, gone = false) =>
      textObjects(blocksOf(rendered(type, { name, gone }))).find(({ text }) => text.startsWith('*What to do:*'))?.text;
    expect(advice('subscription.disabled', 'ops-hook')).toContain('`tidings subscriptions resume ops-hook`');
    expect(advice('subscription.disabled', 'ops-hook')).toContain('enabled on the first success');
    expect(advice('subscription.disabled', 'ops-hook', true)).toContain('not retried automatically');
    expect(advice('subscription.disabled', 'x` <!here>')).toContain('resume NAME');
    expect(advice('source.unauthorized', 'main')).toContain('new token');
    expect(advice('source.recovered', 'main')).toBeUndefined();
  });

  it('shows commands with the AWS stack', () => {
    const advice = (type: string) => {
      const message = renderSlackMessage(outboundMessage([example(type, { name: 'ops-hook' })]), links, {
        stack: 'News',
      });
      return textObjects(blocksOf(message)).find(({ text }) => text.startsWith('*What to do:*'))?.text;
    };
    expect(advice('subscription.disabled')).toContain('`tidings subscriptions resume ops-hook --aws News`');
    expect(advice('subscription.failing')).toContain('`tidings deliveries --subscription ops-hook --aws News`');
    expect(advice('source.stale')).toContain('`tidings status --aws News`');
    // In AWS nothing is restarted, and `check` cannot read the secrets.
    expect(advice('source.unauthorized')).not.toContain('restart');
    expect(advice('source.unreachable')).not.toContain('tidings check');
  });

  it('shows values with markup characters as plain text, without bold labels', () => {
    const { attachments } = rendered('task.closed', { project: '*a* <!here>', client: 'x :smile: y' });
    expect(attachments?.[0]?.blocks[0]).toMatchObject({
      fields: expect.arrayContaining([
        { type: 'plain_text', text: 'Project\n*a* <!here>', emoji: false },
        { type: 'plain_text', text: 'Client\nx :smile: y', emoji: false },
      ]),
    });
  });

  it('has no link without a template in the config, or if it is not an http URL', () => {
    const types = (templates: Record<string, string>) =>
      richPieces(renderSlackMessage(outboundMessage([example('task.closed')]), templates).blocks).map(
        ({ type }) => type,
      );
    expect(types({})).not.toContain('link');
    expect(types({ task: 'javascript:alert({id})' })).not.toContain('link');
    expect(types({ task: 'https://example.com/{id}' })).toContain('link');
  });

  it('shows only new facts in a thread', () => {
    const event = example('task.due_date_changed');
    expect(factsOf(renderSlackMessage(outboundMessage([event], { thread: '1.2' }), links))).toEqual({
      Due: 'Wed 18 Nov → Fri 20 Nov',
    });
  });
});

describe('a message about many events', () => {
  it('has a title with counts, a list for each project, and the number of further events', () => {
    const events = [...tasks('task.closed', 500), ...tasks('task.closed', 2, { project: 'Fair' })].map(
      (event, index) => ({
        ...event,
        subject: `task/${index}`,
      }),
    );
    const { text, blocks, attachments } = renderSlackMessage(outboundMessage(events), links);
    expect(text).toBe('502 tasks closed');
    expect(attachments).toBeUndefined();
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'rich_text', 'rich_text', 'context']);
    expect(blocks[0]).toMatchObject({ text: { text: '✅ 502 tasks closed' } });
    expect(wordsOf(blocks)).toMatch(/^Fair · 2Task no\. 0 was closed.*Website relaunch · 28 of 500/);
    expect(richPieces(blocks)).toContainEqual({
      type: 'link',
      url: 'https://work.example.com/tasks/view/0',
      text: 'Task no. 0',
      style: { bold: true },
    });
    expect(blocks.at(-1)).toEqual({ type: 'context', elements: [{ type: 'mrkdwn', text: '_and 472 more_' }] });
  });

  it('distributes the lines among the projects', () => {
    const events = [80, 70, 60].flatMap((count, project) =>
      tasks('task.closed', count, { project: `P${project}` }).map((event) => ({
        ...event,
        subject: `${event.subject}${project}`,
      })),
    );
    const words = wordsOf(renderSlackMessage(outboundMessage(events), links).blocks);
    expect(words.match(/P\d · \d+ of \d+/g)).toEqual(['P0 · 10 of 80', 'P1 · 10 of 70', 'P2 · 10 of 60']);
  });

  it('marks each line if the urgencies differ', () => {
    const [late, soon] = [tasks('task.overdue', 1), tasks('task.due_soon', 2).slice(1)];
    const { blocks } = renderSlackMessage(outboundMessage([...late, ...soon]), links);
    expect(wordsOf(blocks)).toBe(
      'Website relaunch · 2\n⏳ Task no. 1 is due Fri 20 Nov · Ann Vogt\n🔴 Task no. 0 has been overdue since Sat 21 Nov · Ann Vogt',
    );
  });

  it('is a message about one event if all events are of one transition', () => {
    const events = [example('task.closed'), example('task.status_changed'), example('task.updated')];
    const first = renderSlackMessage(outboundMessage(events.slice(0, 1)), links);
    expect(renderSlackMessage(outboundMessage(events), links)).toEqual(first);
  });

  it.each([
    ['2026-11-24T07:30:00.000Z', 'Good morning'],
    ['2026-11-24T12:00:00.000Z', 'Good afternoon'],
    ['2026-11-24T21:30:00.000Z', 'Good evening'],
  ])('greets in a digest at %s by the time in its zone', (at, greeting) => {
    const events = [...tasks('task.overdue', 12), ...tasks('task.due_soon', 15).slice(12)];
    const { text, blocks } = renderSlackMessage(outboundMessage(events, { at }, { digest: { at: '08:30' } }), links);
    expect(text).toBe(`${greeting}: 12 tasks overdue, 3 tasks due soon`);
    expect(blocks[0]).toMatchObject({ type: 'header', text: { text } });
  });
});

describe('marks, templates and mentions', () => {
  it.each([
    ['replay', '🔁 Sent again on request.'],
    ['test', '🧪 Test message: nothing happened.'],
  ] as const)('marks a %s at the top', (mark, words) => {
    const message = renderSlackMessage(outboundMessage([example('task.closed')], { mark }), links);
    expect(message.blocks[0]).toEqual({
      type: 'context',
      elements: [{ type: 'plain_text', text: words, emoji: false }],
    });
    expect(message.text.startsWith(words)).toBe(true);
  });

  it('uses the text of a template, and the default message if it is blank', () => {
    const sent = outboundMessage([example('task.closed')]);
    expect(renderSlackMessage(sent, links, { template: { text: '*Done:* <https://example.com|it>' } })).toEqual({
      text: '*Done:* <https://example.com|it>',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Done:* <https://example.com|it>' } }],
    });
    expect(renderSlackMessage(sent, links, { template: { text: ' \n' } })).toEqual(renderSlackMessage(sent, links));
  });

  it('splits a long template between lines and shows all of it', () => {
    const words = { text: `${'a line of text\n'.repeat(600)}the end` };
    const { blocks, text } = renderSlackMessage(outboundMessage([example('task.closed')]), links, { template: words });
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(text.endsWith('…')).toBe(true);
    const shown = textObjects(blocks).map((one) => one.text);
    expect(shown.length).toBe(4);
    expect(shown.join('')).toBe(words.text);
  });

  it.each([
    ['lines', 'a line of text\n'.repeat(2000)],
    ['quotes', '"'.repeat(12_000)],
    ['one word', 'x'.repeat(20_000)],
  ])('marks a template that is too long for Slack as cut: %s', (_, text) => {
    const { blocks } = renderSlackMessage(outboundMessage([example('task.closed')]), links, { template: { text } });
    expect(textObjects(blocks).at(-1)?.text).toMatch(/… \(cut: the message is too long for Slack\)$/);
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(12_000);
    expect(JSON.stringify(blocks).length).toBeGreaterThan(9_000);
  });

  const mentions = { 'ann vogt': 'U024ANN', 'ben@example.com': 'U024BEN', 'Ben Okafor': 'not an id' };
  const bot: Partial<Subscription> = { to: { channel: 'slack', settings: { token: '${T}', channel: '#x', mentions } } };
  const mentioned = (...given: Parameters<typeof outboundMessage>) =>
    richPieces(renderSlackMessage(outboundMessage(given[0], given[1], { ...bot, ...given[2] }), links).blocks).flatMap(
      (piece) => (piece.type === 'user' ? [piece.user_id] : []),
    );

  it('mentions the people concerned, regardless of the case of their names', () => {
    expect(mentioned([example('task.overdue')])).toEqual(['U024ANN']);
    expect(mentioned([example('task.assigned')])).toEqual(['U024ANN']);
    expect(mentioned([example('task.overdue', { assignees: ['ben@example.com', 'Ann Vogt', 'ann vogt'] })])).toEqual([
      'U024BEN',
      'U024ANN',
    ]);
    expect(mentioned([example('project.past_end', { manager: 'Zoë Lind, Ann Vogt' })])).toEqual(['U024ANN']);
  });

  it('mentions the owners if there are no assignees, and skips invalid member ids', () => {
    expect(mentioned([example('task.overdue', { assignees: [], owners: ['Ann Vogt'] })])).toEqual(['U024ANN']);
    expect(mentioned([example('task.overdue', { assignees: ['Ben Okafor'] })])).toEqual([]);
  });

  it('mentions no one in informational events, summaries, digests, replays, tests and webhooks', () => {
    expect(mentioned([example('task.closed')])).toEqual([]);
    expect(mentioned(tasks('task.overdue', 30))).toEqual([]);
    expect(mentioned([example('task.overdue')], {}, { digest: { at: '08:30' } })).toEqual([]);
    expect(mentioned([example('task.overdue')], { mark: 'replay' })).toEqual([]);
    expect(mentioned([example('task.overdue')], { mark: 'test' })).toEqual([]);
    expect(
      mentioned([example('task.overdue')], {}, { to: { channel: 'slack', settings: { webhook: '${W}' } } }),
    ).toEqual([]);
  });
});
