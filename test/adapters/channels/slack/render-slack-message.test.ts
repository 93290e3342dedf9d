import { describe, expect, it } from 'vitest';
import { renderSlackMessage } from '../../../../adapters/channels/slack/render-slack-message.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import { blocksOf, example, factsOf, links, parcel, richPieces, tasks, textObjects, wordsOf } from './slack-samples.ts';

const told = (...given: Parameters<typeof example>) => renderSlackMessage(parcel([example(...given)]), links);
const changed = (field: string, from: string | null, to: string | null, record = {}) =>
  factsOf(told('task.updated', record, { changes: [{ field, from, to }] }));

describe('a message about one event', () => {
  it('says what happened with a link to the record, and the facts beside a bar of its colour', () => {
    expect(told('task.overdue')).toEqual({
      text: 'Task “Proofread the newsletter” has been overdue since Fri 20 Nov (Website relaunch, Northwind Traders)',
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
                { type: 'text', text: ' has been overdue since Fri 20 Nov' },
              ],
            },
          ],
        },
      ],
      attachments: [
        {
          color: '#e01e5a',
          fallback:
            'Task “Proofread the newsletter” has been overdue since Fri 20 Nov (Website relaunch, Northwind Traders)',
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

  it('reads well for every type of the catalogue', () => {
    for (const { type } of eventTypes) {
      const message = told(type);
      const words = [wordsOf(message.blocks), ...textObjects(blocksOf(message)).map(({ text }) => text)].join('\n');
      expect(words, type).not.toMatch(/undefined|null|\[object|NaN|none → none| {2}/);
      expect(wordsOf(message.blocks), type).toMatch(/^\S+ \S.{5,}\S$/u);
      expect(message.attachments, type).toHaveLength(1);
    }
  });

  it('never shows an id where there is a name', () => {
    const labels = eventTypes.flatMap(({ type }) => Object.keys(factsOf(told(type))));
    expect(labels.length).toBeGreaterThan(100);
    expect(labels.filter((label) => /id$/.test(label))).toEqual([]);
  });

  it.each([
    ['task.closed', '#2eb67d', '✅'],
    ['task.assigned', '#6b8fb5', '🔹'],
    ['task.due_soon', '#ecb22e', '⏳'],
    ['invoice.overdue', '#e01e5a', '🔴'],
  ])('has the colour and the mark of %s', (type, color, mark) => {
    const { blocks, attachments } = told(type);
    expect(attachments?.[0]?.color).toBe(color);
    expect(wordsOf(blocks).startsWith(mark)).toBe(true);
  });

  it('tells of a payment what came in, the total and what is left', () => {
    const message = told('invoice.payment_received');
    expect(wordsOf(message.blocks)).toBe('✅ Payment of 500.00 received on invoice Website relaunch, October');
    expect(factsOf(message)).toEqual({
      Client: 'Northwind Traders',
      Project: 'Website relaunch',
      Received: '500.00',
      Total: '1,200.50',
      'Left to pay': '700.50',
      Due: 'Mon 30 Nov',
    });
    const second = told('invoice.payment_received', { payments: 900, balance: 300.5 });
    expect(factsOf(second)).toMatchObject({ Received: '500.00', 'Paid so far': '900.00', 'Left to pay': '300.50' });
  });

  it('leaves out that nothing is paid yet, and that nothing is left', () => {
    expect(factsOf(told('invoice.overdue'))).not.toHaveProperty('Paid so far');
    expect(factsOf(told('invoice.paid'))).toMatchObject({ Total: '1,200.50', 'Paid on': 'Sat 14 Nov' });
    expect(factsOf(told('invoice.paid'))).not.toHaveProperty('Left to pay');
    expect(factsOf(told('invoice.payment_reversed'))).toMatchObject({
      Reversed: '500.00',
      'Left to pay': '1,200.50',
    });
  });

  it.each([
    ['2026-11-23', 'Mon 23 Nov (1 day late)'],
    ['2026-11-24', 'Tue 24 Nov (today)'],
    ['2026-11-25', 'Wed 25 Nov (tomorrow)'],
    ['2026-12-04', 'Fri 4 Dec (in 10 days)'],
    ['2025-11-24', 'Mon 24 Nov 2025 (365 days late)'],
  ])('reckons %s from the day it is told, where its readers are', (datedue, due) => {
    expect(factsOf(told('task.overdue', { datedue })).Due).toBe(due);
  });

  it('says who was assigned, and who did it', () => {
    const message = told('task.assigned', {}, { by: { id: '2', name: 'Ben Okafor' } });
    expect(wordsOf(message.blocks)).toBe('🔹 Task Proofread the newsletter was assigned to Ann Vogt');
    expect(factsOf(message)).toMatchObject({ 'Changed by': 'Ben Okafor', 'Assigned to': 'now Ann Vogt' });
    expect(factsOf(told('task.unassigned'))['Assigned to']).toBe('Ann Vogt (no longer Zoë Lind)');
  });

  it.each([
    ['a day', changed('datedue', '2026-11-18', '2026-11-20'), { Due: 'Wed 18 Nov → Fri 20 Nov' }],
    ['a day that is gone', changed('datedue', '2026-11-18', null), { Due: 'Wed 18 Nov → none' }],
    ['HTML as its words', changed('summary', '<p>a &amp; b</p>', ''), { Description: 'a & b → none' }],
    [
      'an id by the name beside it',
      changed('milestoneid', '1', '6', { milestone: 'Go-live' }),
      { Milestone: 'now Go-live' },
    ],
    ['a field nobody named', changed('second_tax', '1', '2'), { 'Second tax': '1 → 2' }],
    ['the status by its names', factsOf(told('task.status_changed')), { Status: 'Open → In Progress' }],
  ])('tells a change of %s', (_, facts, expected) => {
    expect(facts).toMatchObject(expected);
  });

  it('has a table of ten, and says how many changes are not in it', () => {
    const changes = Array.from({ length: 12 }, (_, index) => ({ field: `f${index}`, from: 1, to: 2 }));
    const message = told('task.updated', {}, { changes });
    expect(Object.keys(factsOf(message))).toHaveLength(10);
    expect(textObjects(blocksOf(message)).at(-1)?.text).toBe('and 10 more changes');
  });

  it('says what to do where a person has to', () => {
    const advice = (type: string, name: string, gone = false) =>
      textObjects(blocksOf(told(type, { name, gone }))).find(({ text }) => text.startsWith('*What to do:*'))?.text;
    expect(advice('subscription.disabled', 'ops-hook')).toContain('`tidings subscriptions resume ops-hook`');
    expect(advice('subscription.disabled', 'ops-hook')).toContain('enabled on the first success');
    expect(advice('subscription.disabled', 'ops-hook', true)).toContain('not retried automatically');
    expect(advice('subscription.disabled', 'x` <!here>')).toContain('resume NAME');
    expect(advice('source.unauthorized', 'main')).toContain('new token');
    expect(advice('source.recovered', 'main')).toBeUndefined();
  });

  it('tells commands as they are given where it runs in AWS', () => {
    const advice = (type: string) => {
      const message = renderSlackMessage(parcel([example(type, { name: 'ops-hook' })]), links, { stack: 'News' });
      return textObjects(blocksOf(message)).find(({ text }) => text.startsWith('*What to do:*'))?.text;
    };
    expect(advice('subscription.disabled')).toContain('`tidings subscriptions resume ops-hook --aws News`');
    expect(advice('subscription.failing')).toContain('`tidings deliveries --subscription ops-hook --aws News`');
    expect(advice('source.stale')).toContain('`tidings status --aws News`');
    // Nothing is started there, and `check` has no business with secrets in AWS.
    expect(advice('source.unauthorized')).not.toContain('restart');
    expect(advice('source.unreachable')).not.toContain('tidings check');
  });

  it('shows values with marks in them as they are, without bold', () => {
    const { attachments } = told('task.closed', { project: '*a* <!here>', client: 'x :smile: y' });
    expect(attachments?.[0]?.blocks[0]).toMatchObject({
      fields: expect.arrayContaining([
        { type: 'plain_text', text: 'Project\n*a* <!here>', emoji: false },
        { type: 'plain_text', text: 'Client\nx :smile: y', emoji: false },
      ]),
    });
  });

  it('has no link where the config has no template, or one that is no address of the web', () => {
    const types = (templates: Record<string, string>) =>
      richPieces(renderSlackMessage(parcel([example('task.closed')]), templates).blocks).map(({ type }) => type);
    expect(types({})).not.toContain('link');
    expect(types({ task: 'javascript:alert({id})' })).not.toContain('link');
    expect(types({ task: 'https://example.com/{id}' })).toContain('link');
  });

  it('tells in a thread only what is new', () => {
    const event = example('task.due_date_changed');
    expect(factsOf(renderSlackMessage(parcel([event], { thread: '1.2' }), links))).toEqual({
      Due: 'Wed 18 Nov → Fri 20 Nov',
    });
  });
});

describe('a message about many events', () => {
  it('has a title with counts, a list for each project, and says how many more there are', () => {
    const events = [...tasks('task.closed', 500), ...tasks('task.closed', 2, { project: 'Fair' })].map(
      (event, index) => ({
        ...event,
        subject: `task/${index}`,
      }),
    );
    const { text, blocks, attachments } = renderSlackMessage(parcel(events), links);
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

  it('lets no project hide the others', () => {
    const events = [80, 70, 60].flatMap((count, project) =>
      tasks('task.closed', count, { project: `P${project}` }).map((event) => ({
        ...event,
        subject: `${event.subject}${project}`,
      })),
    );
    const words = wordsOf(renderSlackMessage(parcel(events), links).blocks);
    expect(words.match(/P\d · \d+ of \d+/g)).toEqual(['P0 · 10 of 80', 'P1 · 10 of 70', 'P2 · 10 of 60']);
  });

  it('marks each line where some are more pressing than others', () => {
    const [late, soon] = [tasks('task.overdue', 1), tasks('task.due_soon', 2).slice(1)];
    const { blocks } = renderSlackMessage(parcel([...late, ...soon]), links);
    expect(wordsOf(blocks)).toBe(
      'Website relaunch · 2\n⏳ Task no. 1 is due Fri 20 Nov\n🔴 Task no. 0 has been overdue since Fri 20 Nov',
    );
  });

  it('is a single message when one record alone has news, said by the first of its events', () => {
    const events = [example('task.closed'), example('task.status_changed'), example('task.updated')];
    const first = renderSlackMessage(parcel(events.slice(0, 1)), links);
    expect(renderSlackMessage(parcel(events), links)).toEqual(first);
  });

  it.each([
    ['2026-11-24T07:30:00.000Z', 'Good morning'],
    ['2026-11-24T12:00:00.000Z', 'Good afternoon'],
    ['2026-11-24T21:30:00.000Z', 'Good evening'],
  ])('greets as a digest at %s, by the clock of its readers', (at, greeting) => {
    const events = [...tasks('task.overdue', 12), ...tasks('task.due_soon', 15).slice(12)];
    const { text, blocks } = renderSlackMessage(parcel(events, { at }, { digest: { at: '08:30' } }), links);
    expect(text).toBe(`${greeting}: 12 tasks overdue, 3 tasks due soon`);
    expect(blocks[0]).toMatchObject({ type: 'header', text: { text } });
  });
});

describe('marks, templates and mentions', () => {
  it.each([
    ['replay', '🔁 Sent again on request.'],
    ['test', '🧪 Test message: nothing happened.'],
  ] as const)('marks a %s at the top', (mark, words) => {
    const message = renderSlackMessage(parcel([example('task.closed')], { mark }), links);
    expect(message.blocks[0]).toEqual({
      type: 'context',
      elements: [{ type: 'plain_text', text: words, emoji: false }],
    });
    expect(message.text.startsWith(words)).toBe(true);
  });

  it('lets a template take the place of our words, and falls back to them when it makes none', () => {
    const sent = parcel([example('task.closed')]);
    expect(renderSlackMessage(sent, links, { template: { text: '*Done:* <https://example.com|it>' } })).toEqual({
      text: '*Done:* <https://example.com|it>',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Done:* <https://example.com|it>' } }],
    });
    expect(renderSlackMessage(sent, links, { template: { text: ' \n' } })).toEqual(renderSlackMessage(sent, links));
  });

  it('cuts a long template between lines', () => {
    const words = { text: 'a line of text\n'.repeat(1000) };
    const { blocks, text } = renderSlackMessage(parcel([example('task.closed')]), links, { template: words });
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(blocks.length).toBe(2);
    for (const { text } of textObjects(blocks)) expect(text).toMatch(/^(a line of text\n)+$/);
  });

  const mentions = { 'ann vogt': 'U024ANN', 'ben@example.com': 'U024BEN', 'Ben Okafor': 'not an id' };
  const bot: Partial<Subscription> = { to: { channel: 'slack', settings: { token: '${T}', channel: '#x', mentions } } };
  const mentioned = (...given: Parameters<typeof parcel>) =>
    richPieces(renderSlackMessage(parcel(given[0], given[1], { ...bot, ...given[2] }), links).blocks).flatMap(
      (piece) => (piece.type === 'user' ? [piece.user_id] : []),
    );

  it('mentions those of whom something is asked, whatever the case of their names', () => {
    expect(mentioned([example('task.overdue')])).toEqual(['U024ANN']);
    expect(mentioned([example('task.assigned')])).toEqual(['U024ANN']);
    expect(mentioned([example('task.overdue', { assignees: ['ben@example.com', 'Ann Vogt', 'ann vogt'] })])).toEqual([
      'U024BEN',
      'U024ANN',
    ]);
    expect(mentioned([example('project.past_end', { manager: 'Zoë Lind, Ann Vogt' })])).toEqual(['U024ANN']);
  });

  it('asks the owners where nobody is assigned, and leaves out what is no member id', () => {
    expect(mentioned([example('task.overdue', { assignees: [], owners: ['Ann Vogt'] })])).toEqual(['U024ANN']);
    expect(mentioned([example('task.overdue', { assignees: ['Ben Okafor'] })])).toEqual([]);
  });

  it('calls nobody for what only tells, for many, in a digest, a replay or a test, nor through a webhook', () => {
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
