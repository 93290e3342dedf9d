import { describe, expect, it } from 'vitest';
import { renderMail } from '../../../adapters/channels/email/render-mail.ts';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { renderSlackMessage } from '../../../adapters/channels/slack/render-slack-message.ts';
import { buildChatCard } from '../../../core/messages/chat-card.ts';
import { type SummaryOptions, summarise } from '../../../core/messages/summary.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { event, subscription } from '../../samples.ts';

const AT = '2026-11-16T07:30:00.000Z';

function task(id: string, change: Fields, type = 'task.overdue'): TidingsEvent {
  const one = event(id, { type, time: AT });
  const record = { id, title: `Task ${id}`, project: 'Website', datedue: `2026-11-0${id}`, ...change };
  return { ...one, data: { ...one.data, record, occurred: { after: AT, before: AT } } };
}

const ann = task('1', { assignees: ['Ann Vogt'] });
const both = task('2', { assignees: ['Ann Vogt', 'Ben Okafor'] });
const nobody = task('3', { assignees: [] });
const hidden = task('4', {});
const all = [both, ann, nobody, hidden];

const linesOf = (options: SummaryOptions, events: readonly TidingsEvent[] = all) =>
  summarise(events, options).groups.map(
    ({ title, lines }) =>
      `${title}: ${lines.map(({ subject, who, isNew }) => [subject, who, isNew ? 'new' : ''].join(' ').trim()).join(', ')}`,
  );

describe('a list', () => {
  it('names the assignees of each task, oldest first, and what is new', () => {
    expect(linesOf({ fresh: [nobody.id] })).toEqual([
      'Website: task/1 Ann Vogt, task/2 Ann Vogt and Ben Okafor, task/3 unassigned new, task/4',
    ]);
  });

  it('does not repeat names that the sentence has, and names three people at most', () => {
    const one = task('5', { assignees: ['Ann Vogt'] }, 'task.assigned');
    const assigned = { ...one, data: { ...one.data, details: { addedNames: ['Ann Vogt'] } } };
    const crowd = task(
      '6',
      { assignees: ['A', 'B', 'C', 'D', 'E'].map((letter) => `${letter}. Miller`) },
      'task.closed',
    );
    expect(linesOf({}, [assigned, crowd])).toEqual([
      'Website: task/5, task/6 A. Miller, B. Miller, C. Miller and 2 more',
    ]);
  });

  it('counts records in its title, not changes, and has each line once', () => {
    const moved = (version: number, change: Fields, type = 'task.due_date_changed') => {
      const one = task('5', change, type);
      return { ...one, id: `${type} ${version}`, data: { ...one.data, version } };
    };
    const events = [1, 2, 3].map((version) => moved(version, { datedue: `2026-12-0${version}` }));
    expect(summarise(events).title).toBe('Due date changed on 1 task');
    expect(summarise(events).count).toBe(3);
    const paid = [1, 2].map((version) => {
      const one = moved(version, {}, 'invoice.payment_received');
      return { ...one, subject: 'invoice/5', data: { ...one.data, details: { amount: version } } };
    });
    expect(summarise([...paid, ...events]).title).toBe('Payments received on 1 invoice, due date changed on 1 task');
    expect(summarise([1, 2].map((version) => moved(version, { datedue: '2026-12-04' }))).count).toBe(1);
    expect(summarise([ann, both, ...events]).title).toBe('2 tasks overdue, due date changed on 1 task');
  });

  it('lists what was found at once, after downtime, in the order in which it happened', () => {
    const found = (id: string, before: string, dateend?: string): TidingsEvent => {
      const subject = dateend === undefined ? `task/${id}` : `project/${id}`;
      const record = { id, title: `T${id}`, project: 'Website', ...(dateend === undefined ? {} : { dateend }) };
      const one = event(id, { subject, type: dateend === undefined ? 'task.closed' : 'project.past_end' });
      return { ...one, data: { ...one.data, record, occurred: { after: null, before } } };
    };
    const sunday = found('1', '2026-11-08T10:00:00.000Z');
    const friday = found('2', '2026-11-06T10:00:00.000Z');
    const ended = found('3', '2026-11-07T00:00:00.000Z', '2026-11-06');
    const [group] = summarise([sunday, ended, friday]).groups;
    expect(group?.lines.map(({ subject }) => subject)).toEqual(['project/3', 'task/2', 'task/1']);
  });

  it('has a heading for each person, with shared tasks under both', () => {
    expect(linesOf({ groupBy: 'person' })).toEqual([
      'Ann Vogt: task/1, task/2 Ben Okafor',
      'Ben Okafor: task/2 Ann Vogt',
      'Unassigned: task/3',
      'Website: task/4',
    ]);
    expect(summarise(all, { groupBy: 'person', maxLines: 2 })).toMatchObject({ count: 5, unlisted: 3 });
  });

  it('has a heading for each of two people with the same name, and names the other one', () => {
    const of = (id: string, ...people: readonly string[]) =>
      task(id, { assigneeid: people, assignees: people.map(() => 'Ann Vogt') });
    const namesakes = [of('1', '5'), of('2', '9'), of('3', '5', '9')];
    expect(linesOf({ groupBy: 'person' }, namesakes)).toEqual([
      'Ann Vogt: task/1, task/3 Ann Vogt',
      'Ann Vogt: task/2, task/3 Ann Vogt',
    ]);
    // Without ids the names are all that is known.
    const unknown = task('4', { assigneeid: ['5'], assignees: ['Ann Vogt', 'PhD'] });
    expect(linesOf({ groupBy: 'person' }, [unknown])).toEqual(['Ann Vogt: task/4 PhD', 'PhD: task/4 Ann Vogt']);
    const reader = { name: 'Ann Vogt', address: 'ann@example.com', role: 'assignees' } as const;
    expect(linesOf({ reader }, namesakes)).toEqual(['Website: task/1, task/2, task/3 Ann Vogt']);
  });

  it('names who works on a task that has their name in its title or project', () => {
    const about = task('1', {
      title: 'Call Ann Vogt',
      project: 'Ann Vogt',
      assigneeid: ['5'],
      assignees: ['Ann Vogt'],
    });
    expect(linesOf({}, [about])).toEqual(['Ann Vogt: task/1 Ann Vogt']);
  });

  it('for one reader counts their records and leaves out their name', () => {
    const reader = { name: 'Ann Vogt', address: 'ann@example.com', role: 'assignees' } as const;
    expect(summarise([ann, both], { reader }).title).toBe('2 of your tasks are overdue');
    expect(summarise([ann], { reader }).title).toBe('1 of your tasks is overdue');
    expect(summarise([ann], { reader: { ...reader, role: 'followers' } }).title).toBe(
      '1 of the tasks you follow is overdue',
    );
    const manager = { ...reader, role: 'projectmanager' } as const;
    expect(summarise([ann, both], { reader: manager }).title).toBe('2 of the tasks of your projects are overdue');
    expect(summarise([ann], { reader: { ...reader, address: null } }).title).toBe('1 task overdue (Ann Vogt)');
    expect(linesOf({ reader }, [ann, both])).toEqual(['Website: task/1, task/2 Ben Okafor']);
  });
});

describe('an open digest', () => {
  const message = (to: OutboundMessage['subscription']['to'], events: OutboundMessage['events']): OutboundMessage => ({
    subscription: subscription('morning', { to, digest: { at: '08:30', groupBy: 'person' } }),
    events,
    delivery: 'dlv_1',
    at: AT,
    timeZone: 'Europe/Berlin',
    fresh: [ann.id],
  });

  it.each([
    ['slack', { webhook: 'https://hooks.slack.com/services/T/B/x' }],
    ['teams', { webhook: 'https://example.com/teams' }],
    ['discord', { webhook: 'https://discord.com/api/webhooks/1/x' }],
    ['googleChat', { webhook: 'https://chat.googleapis.com/v1/spaces/x/messages' }],
    ['mattermost', { webhook: 'https://chat.example.com/hooks/x' }],
    ['rocketChat', { webhook: 'https://chat.example.com/hooks/x/y' }],
    ['email', { to: 'ops@example.com' }],
  ])('says in %s when old data were last read, in the zone of the reader', async (channel, settings) => {
    const outdated = { source: 'main', readAt: '2026-11-15T21:10:00.000Z', reason: 'unreachable' } as const;
    const digest = message({ channel, settings }, [ann, both]);
    const render = async (one: OutboundMessage) =>
      JSON.stringify(
        await channelRegistry.get(channel)?.render(one, settings, { links: {}, byTemplate: [], texts: {} }),
      );
    const said = 'As of 15 Nov 2026, 22:10 Europe/Berlin: source main is unreachable. Later changes are missing.';
    expect(await render({ ...digest, outdated })).toContain(said);
    expect(await render(digest)).not.toContain('As of');
  });

  it('is a list in mail and chat, also with a single line', () => {
    const mail = renderMail(message({ channel: 'email', settings: { to: ['team@example.com'] } }, [ann]));
    expect(mail.subject).toBe('Tidings: 1 task overdue');
    expect(mail.text).toContain('Ann Vogt (1)\n- Task “Task 1” has been overdue since Mon 2 Nov · new\n');
    expect(mail.html).toContain('<strong>new</strong>');
    const card = buildChatCard(message({ channel: 'teams', settings: {} }, [ann]), { links: {} });
    expect(card.line).toBe('Good morning: 1 task overdue');
    expect(card.groups).toMatchObject([{ title: 'Ann Vogt', count: 1 }]);
    expect(card.groups[0]?.lines[0]?.map(({ text }) => text).join('')).toBe(
      'Task 1 has been overdue since Mon 2 Nov · new',
    );
    const slack = renderSlackMessage(message({ channel: 'slack', settings: { webhook: 'x' } }, [ann, both]), {});
    expect(slack.text).toBe('Good morning: 2 tasks overdue');
    expect(JSON.stringify(slack.blocks)).toContain('"text":"new","style":{"bold":true}');
  });
});
