import { afterEach, describe, expect, it } from 'vitest';
import { renderDiscordMessage } from '../../../../adapters/channels/discord/channel.ts';
import { discordChannel } from '../../../../adapters/channels/discord/definition.ts';
import type { DiscordSettings } from '../../../../adapters/channels/discord/settings.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { markdownHtml } from '../../../../simulator/chat/markdown.ts';
import { type Discord, type DiscordOptions, startDiscord } from '../../../chats/discord/discord.ts';
import { checkMessage, notifiedBy } from '../../../chats/discord/message.ts';
import { example, outboundMessage, tasks } from '../slack/slack-samples.ts';
import { checkAnyContent, contentOf, HOSTILE_TITLES } from '../webhook-chat/chat-samples.ts';

const ANN = '281474976710656001';
const settings: DiscordSettings = { webhook: '${WEBHOOK}', mentions: { 'Ann Vogt': ANN } };
const render = (...given: Parameters<typeof contentOf> extends [unknown, ...infer Rest] ? Rest : never) =>
  renderDiscordMessage(contentOf(settings, ...given));

describe('an embed', () => {
  it('shows what happened with a link, the facts, the type and the time', () => {
    const [embed] = render([example('task.overdue')]).embeds;
    expect(embed).toMatchObject({
      description: expect.stringMatching(
        /^🔴 Task \*\*\[Proofread the newsletter\]\(https:\/\/work\.example\.com\/tasks\/view\/\w+\)\*\* has been overdue/,
      ),
      footer: { text: 'task.overdue' },
      timestamp: '2026-11-20T23:00:00.000Z',
    });
    expect(embed.fields).toContainEqual({ name: 'Due', value: 'Fri 20 Nov \\(4 days late\\)', inline: true });
  });

  it('lists many events by project, and counts those that do not fit', () => {
    const [embed] = render(tasks('task.overdue', 500)).embeds;
    expect(embed.title).toBe('🔴 500 tasks overdue');
    expect(embed.description.match(/^- /gm)?.length).toBeGreaterThan(20);
    expect(embed.description).toMatch(/\*and 4\d\d more\*$/);
  });

  it('mentions the people concerned and no one else', () => {
    expect(render([example('task.overdue')])).toMatchObject({
      content: `<@${ANN}>`,
      allowed_mentions: { parse: [], users: [ANN] },
    });
    expect(render([example('task.overdue')], { mark: 'replay' })).toMatchObject({
      content: '🔁 Sent again on request.',
      allowed_mentions: { parse: [], users: [] },
    });
    expect(render([example('task.closed')])).not.toHaveProperty('content');
  });

  it('holds the text of a template', () => {
    expect(render([example('task.closed')], {}, {}, '**Done**').embeds[0].description).toBe('**Done**');
  });

  it('is within every limit whatever the records contain', () => {
    checkAnyContent(
      { ...settings, forum: true },
      (content) => {
        const message = JSON.parse(JSON.stringify(renderDiscordMessage(content)));
        expect(checkMessage(message)).toBeUndefined();
        expect(notifiedBy(message).filter((id) => id !== ANN)).toEqual([]);
      },
      4000,
    );
  });

  it.each(HOSTILE_TITLES)('shows %j without a mention, a foreign link or markup', (title) => {
    for (const events of [
      [example('task.closed', { title, project: title, assignees: [title] })],
      tasks('task.closed', 3, { title, project: title }),
    ]) {
      const message = renderDiscordMessage(contentOf({ webhook: 'x' }, events));
      const { title: heading = '', description, fields = [] } = message.embeds[0];
      const html = [heading, description, ...fields.flatMap(({ name, value }) => [name, value])]
        .map((text) => markdownHtml(text))
        .join('');
      expect(html).not.toMatch(/<a href="(?!https:\/\/work\.example\.com\/)/);
      expect(html).not.toMatch(/<h3>|<i>|<code>|<img/);
      expect(html.replaceAll('\u200b', '').includes('@everyone')).toBe(title.includes('@everyone'));
      expect(notifiedBy(JSON.parse(JSON.stringify(message)))).toEqual([]);
    }
  });
});

describe('a webhook', () => {
  let discord: Discord | undefined;
  const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
  afterEach(async () => {
    await discord?.close();
    await http.close();
  });

  async function open(options: DiscordOptions = {}, own: DiscordSettings = settings) {
    discord = await startDiscord(options);
    const secrets = localSecrets({ environment: { WEBHOOK: discord.webhookUrl }, directory: '' });
    const sender = await discordChannel.open({ config: { links: {}, network: { allow: [] } }, secrets, http });
    const send = (change: Partial<OutboundMessage> = {}, events = [example('task.overdue')]) =>
      sender.channelFor(own).send(outboundMessage(events, change, { to: { channel: 'discord', settings: own } }));
    return { discord, send };
  }

  it('saves the message and notifies the people concerned', async () => {
    const { discord, send } = await open();
    const receipt = await send();
    expect(receipt).toEqual(expect.objectContaining({ status: 200, body: expect.stringMatching(/^message \d+$/) }));
    expect(receipt).not.toHaveProperty('thread');
    expect(discord.messages).toMatchObject([{ notified: [ANN] }]);
    expect(await (await fetch(discord.url)).text()).toContain('Proofread the newsletter');
  });

  it('gives each record a post in a forum, also after the post was deleted', async () => {
    const { discord, send } = await open({ forum: true }, { ...settings, forum: true });
    const { thread } = await send({}, tasks('task.overdue', 200).slice(0, 1));
    expect(discord.threads).toEqual([{ id: thread, name: expect.stringContaining('Task no. 0') }]);
    expect(await send({ thread })).toMatchObject({ thread });
    discord.deleteThread(thread ?? '');
    const again = await send({ thread });
    expect(again.thread).not.toBe(thread);
    expect(discord.messages.map((message) => message.thread)).toEqual([thread, thread, again.thread]);
  });

  it('returns the thread although the response repeats a long message before it', async () => {
    const { send } = await open({ forum: true }, { ...settings, forum: true });
    expect((await send({}, tasks('task.closed', 60))).thread).toMatch(/^\d+$/);
  });

  it.each([
    [{ forum: true }, settings, 'Discord answered 400 220001: the webhook posts into a forum: set forum: true'],
    [
      {},
      { ...settings, forum: true },
      'Discord answered 400 220003: the webhook does not post into a forum: remove forum',
    ],
  ])('says how to configure a forum: %j', async (options, own, message) => {
    const { send } = await open(options, own);
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_REFUSED', gone: true, message });
  });

  it('waits for the next message when the limit is used up, as the headers say', async () => {
    const { discord, send } = await open({ perBurst: 1, burstMs: 150, perMinute: 100 });
    const started = Date.now();
    await send();
    await send();
    expect(Date.now() - started).toBeGreaterThan(100);
    expect(discord.requests).toBe(2);
  });

  it('passes on how long Discord asks to wait', async () => {
    const { send } = await open({ perMinute: 1, now: () => 0 });
    await send();
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_BUSY', after: 60_000 });
  });

  it('gives up when the webhook was deleted', async () => {
    const { discord, send } = await open();
    discord.deleteWebhook();
    await expect(send()).rejects.toMatchObject({
      code: 'TIDINGS_CHAT_REFUSED',
      message: 'Discord answered 404 10015: the webhook was deleted: create another',
    });
  });

  it('reports nothing without wait=true, as Discord does', async () => {
    const { discord } = await open();
    const response = await fetch(discord.webhookUrl, { method: 'POST', body: '{"content":""}' });
    expect([response.status, discord.messages.length]).toEqual([204, 0]);
  });
});
