import { AdaptiveCard, SerializationContext, Versions } from 'adaptivecards';
import { afterEach, describe, expect, it } from 'vitest';
import type { CardElement, TeamsMessage } from '../../../../adapters/channels/teams/adaptive-card.ts';
import { renderTeamsMessage, TEAMS_MAX_SIZE, teamsSize } from '../../../../adapters/channels/teams/channel.ts';
import { teamsChannel } from '../../../../adapters/channels/teams/definition.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { JsonObject } from '../../../../simulator/chat/json.ts';
import { showCard } from '../../../../simulator/teams/card.ts';
import { startTeams, type Teams, type TeamsOptions } from '../../../../simulator/teams/teams.ts';
import { example, outboundMessage, tasks } from '../slack/slack-samples.ts';
import { checkAnyContent, contentOf, HOSTILE_TITLES } from '../webhook-chat/chat-samples.ts';

const settings = { webhook: '${WEBHOOK}', mentions: { 'Ann Vogt': 'ann@example.com' } };
const render = (...given: Parameters<typeof contentOf> extends [unknown, ...infer Rest] ? Rest : never) =>
  renderTeamsMessage(contentOf(settings, ...given));
const bodyOf = (message: TeamsMessage) => message.attachments[0].content.body;

/** All elements, those inside others too. */
function elementsOf(list: readonly CardElement[]): readonly CardElement[] {
  return list.flatMap((element) => [
    element,
    ...(element.type === 'Container' ? elementsOf(element.items) : []),
    ...(element.type === 'ColumnSet' ? element.columns.flatMap(({ items }) => elementsOf(items)) : []),
  ]);
}

const wordsOf = (message: TeamsMessage) =>
  elementsOf(bodyOf(message)).map((element) =>
    element.type === 'TextBlock'
      ? element.text
      : element.type === 'RichTextBlock'
        ? element.inlines.map(({ text }) => text).join('')
        : '',
  );

/** What Microsoft's own library finds wrong with the card, at the version that Teams renders for certain. */
function problemsOf(message: TeamsMessage): readonly string[] {
  const context = new SerializationContext(Versions.v1_4);
  new AdaptiveCard().parse(JSON.parse(JSON.stringify(message.attachments[0].content)), context);
  return Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
}

describe('a card', () => {
  it('shows what happened, the facts, the type and a link to the record', () => {
    const message = render([example('task.overdue')]);
    expect(wordsOf(message)).toEqual(
      expect.arrayContaining([
        '🔴 Task Proofread the newsletter has been overdue since Sat 21 Nov',
        'Due',
        'Fri 20 Nov (4 days late)',
        'Assigned to',
        'Ann Vogt',
      ]),
    );
    const { actions, version } = message.attachments[0].content;
    expect(version).toBe('1.4');
    expect(actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open', url: expect.stringMatching(/^https:\/\/work\.example\.com\/tasks/) },
    ]);
  });

  it('lists many events by project, and counts those that do not fit', () => {
    const words = wordsOf(render(tasks('task.overdue', 500)));
    expect(words[1]).toBe('🔴 500 tasks overdue');
    expect(words.filter((line) => line.startsWith('• ')).length).toBe(30);
    expect(words.at(-1)).toBe('and 470 more');
  });

  it('greets in a digest, and marks replays and tests', () => {
    expect(wordsOf(render(tasks('task.overdue', 2), {}, { digest: { at: '08:30' } }))[1]).toBe(
      'Good morning: 2 tasks overdue',
    );
    expect(wordsOf(render([example('task.overdue')], { mark: 'test' }))[0]).toBe('🧪 Test message: nothing happened.');
  });

  it('mentions the people concerned by their id, but not in digests and tests', () => {
    const message = render([example('task.overdue')]);
    expect(message.attachments[0].content.msteams.entities).toEqual([
      { type: 'mention', text: '<at>Ann Vogt</at>', mentioned: { id: 'ann@example.com', name: 'Ann Vogt' } },
    ]);
    expect(wordsOf(message)).toContain('<at>Ann Vogt</at>');
    expect(render([example('task.overdue')], { mark: 'test' }).attachments[0].content.msteams.entities).toBeUndefined();
    expect(render([example('task.closed')]).attachments[0].content.msteams.entities).toBeUndefined();
  });

  it('puts each line of a template into a text block', () => {
    const words = wordsOf(render([example('task.closed')], {}, {}, '**Done**\n\nit is'));
    expect(words).toEqual(['**Done**', '', 'it is']);
  });

  it('is shown by Teams whatever the records contain, and within the size', () => {
    checkAnyContent(
      settings,
      (content) => {
        const message = renderTeamsMessage(content);
        expect(teamsSize(message)).toBeLessThanOrEqual(TEAMS_MAX_SIZE);
        expect(showCard(JSON.parse(JSON.stringify(message)) as JsonObject, 0)).not.toBeTypeOf('string');
        expect(problemsOf(message)).toEqual([]);
      },
      10_000,
    );
  });

  it('of a newer version is found by the check', () => {
    const message = render([example('task.overdue')]);
    const [{ content }] = message.attachments;
    const heading = { type: 'TextBlock', text: 'x', style: 'heading' } as unknown as CardElement;
    const newer = {
      ...message,
      attachments: [{ ...message.attachments[0], content: { ...content, body: [heading] } }],
    };
    expect(problemsOf(newer as unknown as TeamsMessage)).toEqual([expect.stringContaining('supported in version 1.5')]);
  });

  it.each(HOSTILE_TITLES)('shows %j as it is, without a mention or a link', (title) => {
    for (const events of [
      [example('task.closed', { title, project: title, assignees: [title] })],
      tasks('task.closed', 3, { title, project: title }),
    ]) {
      const message = renderTeamsMessage(contentOf({ webhook: 'x' }, events));
      // Only our own notes are text blocks, the only element whose Markdown is parsed.
      const parsed = elementsOf(bodyOf(message)).filter(({ type }) => type === 'TextBlock');
      expect(parsed).toEqual([]);
      expect(JSON.stringify(message)).not.toMatch(/"url":"(?!https:\/\/work\.example\.com\/)/);
      expect(JSON.stringify(message)).not.toMatch(/\{\{(?:DATE|TIME)/);
      const shown = showCard(JSON.parse(JSON.stringify(message)) as JsonObject, 0);
      expect(shown).toMatchObject({ notified: [] });
    }
  });
});

describe('a workflow', () => {
  let teams: Teams | undefined;
  const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
  afterEach(async () => {
    await teams?.close();
    await http.close();
  });

  async function open(options: TeamsOptions = {}) {
    teams = await startTeams({ now: () => 0, ...options });
    const secrets = localSecrets({ environment: { WEBHOOK: teams.webhookUrl }, directory: '' });
    const config = { links: {}, network: { allow: [] } };
    const sender = await teamsChannel.open({ config, secrets, http });
    const to = { channel: 'teams', settings };
    return {
      teams,
      send: () => sender.channelFor(settings).send(outboundMessage([example('task.overdue')], {}, { to })),
    };
  }

  it('accepts a card and shows it, with its mentions', async () => {
    const { teams, send } = await open();
    expect(await send()).toMatchObject({ status: 202 });
    expect(teams.dropped).toEqual([]);
    expect(teams.messages).toMatchObject([{ notified: ['ann@example.com'] }]);
    const page = await (await fetch(teams.url)).text();
    expect(page).toContain('Proofread the newsletter');
    expect(page).toContain('<at>Ann Vogt</at>');
  });

  it('asks for a pause above four requests a second', async () => {
    const { send } = await open();
    for (let count = 0; count < 4; count += 1) await send();
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_BUSY', after: 1000 });
  });

  it.each([
    ['turnOff', 'Microsoft Teams answered 400 WorkflowTriggerIsNotEnabled: turn the workflow on'],
    ['deleteWorkflow', 'Microsoft Teams answered 404 WorkflowNotFound: the workflow was deleted: create another'],
  ] as const)('gives up after %s, with what to do', async (change, message) => {
    const { teams, send } = await open();
    teams[change]();
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_REFUSED', gone: true, message });
  });

  it.each([
    ['a newer version', (card: JsonObject) => ({ ...card, version: '1.5' })],
    ['an unknown element', (card: JsonObject) => ({ ...card, body: [{ type: 'Table' }] })],
    ['an unknown property', (card: JsonObject) => ({ ...card, title: 'x' })],
    ['a card that is too large', (card: JsonObject) => ({ ...card, fallbackText: 'x'.repeat(28_000) })],
  ])('accepts %s and shows nothing, as Teams does', async (_, change) => {
    const { teams } = await open();
    const message = JSON.parse(JSON.stringify(render([example('task.closed')])));
    message.attachments[0].content = change(message.attachments[0].content);
    const response = await fetch(teams.webhookUrl, { method: 'POST', body: JSON.stringify(message) });
    expect(response.status).toBe(202);
    expect([teams.messages.length, teams.dropped.length]).toEqual([0, 1]);
  });
});
