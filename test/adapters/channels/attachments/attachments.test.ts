/** Mattermost and Rocket.Chat, which share classic attachments. */

import { afterEach, describe, expect, it } from 'vitest';
import type { AttachmentMessage } from '../../../../adapters/channels/attachments/attachment.ts';
import { mattermostDialect } from '../../../../adapters/channels/mattermost/channel.ts';
import { mattermostChannel } from '../../../../adapters/channels/mattermost/definition.ts';
import { rocketChatDialect } from '../../../../adapters/channels/rocket-chat/channel.ts';
import { rocketChatChannel } from '../../../../adapters/channels/rocket-chat/definition.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { Recipient } from '../../../../core/ports/channel.ts';
import type { JsonObject } from '../../../../simulator/chat/json.ts';
import { markdownHtml } from '../../../../simulator/chat/markdown.ts';
import {
  type AttachmentChat,
  type AttachmentChatOptions,
  checkMessage,
  notifiedBy,
  startMattermost,
  startRocketChat,
  textsOf,
} from '../../../chats/attachments/attachment-chat.ts';
import { example, outboundMessage, tasks } from '../slack/slack-samples.ts';
import { checkAnyContent, contentOf, HOSTILE_TITLES } from '../webhook-chat/chat-samples.ts';

const settings = { webhook: '${WEBHOOK}', mentions: { 'Ann Vogt': 'ann.vogt' } };
const asJson = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject;

const CHATS = [
  {
    definition: mattermostChannel,
    dialect: mattermostDialect,
    start: startMattermost,
    maxLength: 16_383,
    maxText: 7000,
  },
  { definition: rocketChatChannel, dialect: rocketChatDialect, start: startRocketChat, maxLength: 5000, maxText: 4000 },
] as const;

describe.each(CHATS)('$definition.label', ({ definition, dialect, start, maxLength, maxText }) => {
  const render = (...given: Parameters<typeof contentOf>) =>
    dialect.renderPayload(contentOf(...given)) as AttachmentMessage;

  it('shows what happened with a link, the facts and the type, and mentions the people concerned', () => {
    const { text, attachments } = render(settings, [example('task.overdue')]);
    expect(text).toBe('@ann.vogt');
    expect(attachments[0].text).toMatch(
      /^🔴 Task \*+\[Proofread the newsletter\]\(https:\/\/work\.example\.com\/tasks\/view\/\w+\)\*+ has been overdue/,
    );
    expect(attachments[0].fields).toContainEqual({
      title: 'Due',
      value: expect.stringMatching(/^Fri 20 Nov \\?\(4 days late\\?\)$/),
      short: true,
    });
  });

  it('lists many events by project, and counts those that do not fit', () => {
    const { attachments, text } = render(settings, tasks('task.overdue', 500));
    expect(text).toBeUndefined();
    expect(attachments[0].text.match(/^- /gm)?.length).toBeGreaterThan(25);
    expect(attachments[0].text).toMatch(/_and 4\d\d more_$/);
  });

  it('is within every limit whatever the records contain', () => {
    checkAnyContent(
      settings,
      (content) => {
        const message = asJson(dialect.renderPayload(content));
        expect(checkMessage(message, maxLength)).toBeUndefined();
        // The text of a template is the operator's own.
        if (content.text === undefined) expect(notifiedBy(message).filter((name) => name !== 'ann.vogt')).toEqual([]);
      },
      maxText,
    );
  });

  it.each(HOSTILE_TITLES)('shows %j without a mention, a foreign link or markup', (title) => {
    for (const events of [
      [example('task.closed', { title, project: title, assignees: [title] })],
      tasks('task.closed', 3, { title, project: title }),
    ]) {
      const message = asJson(render({ webhook: 'x' }, events));
      expect(notifiedBy(message)).toEqual([]);
      const html = (message.attachments as readonly JsonObject[])
        .flatMap(textsOf)
        .map((text) => markdownHtml(text))
        .join('');
      expect(html).not.toMatch(/<a href="(?!https:\/\/work\.example\.com\/)/);
      expect(html).not.toMatch(/<h3>|<code>|<img/);
    }
  });

  describe('its webhook', () => {
    let chat: AttachmentChat | undefined;
    const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
    afterEach(async () => {
      await chat?.close();
      await http.close();
    });

    async function open(options: AttachmentChatOptions = {}) {
      chat = await start({ now: () => 0, ...options });
      const secrets = localSecrets({ environment: { WEBHOOK: chat.webhookUrl }, directory: '' });
      const sender = await definition.open({ config: { links: {}, network: { allow: [] } }, secrets, http });
      const to = { channel: definition.name, settings };
      return {
        chat,
        send: () => sender.channelFor(settings).send(outboundMessage([example('task.overdue')], {}, { to })),
        sendTo: (recipient: Partial<Recipient>, fallback?: string) =>
          sender.channelFor({ ...settings, to: 'assignees', fallback }).send(
            outboundMessage(
              [example('task.overdue')],
              {
                recipient: { name: 'Ann Vogt', address: 'ann@example.com', role: 'assignees', ...recipient },
              },
              { to },
            ),
          ),
      };
    }

    it('shows the message and notifies the people concerned', async () => {
      const { chat, send } = await open();
      expect(await send()).toMatchObject({ status: 200 });
      expect(chat.messages).toMatchObject([{ notified: ['ann.vogt'] }]);
      expect(await (await fetch(chat.url)).text()).toContain('Proofread the newsletter');
    });

    it('asks for a pause, and refuses when it was deleted', async () => {
      const { chat, send } = await open({ perSecond: 1 });
      await send();
      await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_BUSY', after: 1000 });
      chat.deleteWebhook();
      await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_REFUSED', gone: true });
    });

    it('sends a person a direct message, without a mention', async () => {
      const { chat, sendTo } = await open({ people: ['ann.vogt'] });
      expect(await sendTo({})).toMatchObject({ status: 200 });
      expect(await sendTo({ name: 'ANN VOGT', address: null })).toMatchObject({ status: 200 });
      expect(chat.messages).toMatchObject(Array(2).fill({ channel: '@ann.vogt', notified: [] }));
      expect(await (await fetch(chat.url)).text()).toContain('to @ann.vogt');
    });

    it('reaches no namesake of the person in mentions', async () => {
      const { chat, sendTo } = await open({ people: ['ann.vogt'] });
      await expect(sendTo({ hasNamesake: true })).rejects.toMatchObject({
        code: 'TIDINGS_PERSON_WITHOUT_ADDRESS',
        message: expect.stringContaining('several people of the account are named Ann Vogt'),
      });
      expect(chat.messages).toEqual([]);
    });

    it('gets in the fallback channel what no person can get', async () => {
      const { chat, sendTo } = await open({ people: [] });
      await sendTo({ name: 'Zoë Lind', address: 'zoe@example.com' }, 'team');
      await sendTo({ name: null, address: null }, 'team');
      // In the settings, but not in the chat.
      await sendTo({}, 'team');
      expect(chat.messages.map(({ channel }) => channel)).toEqual(['team', 'team', 'team']);
    });

    it('that reaches no person gives up with the name, and does not disable the subscription', async () => {
      const { chat, sendTo } = await open({ people: [] });
      const failure = (name: string) => ({
        code: 'TIDINGS_PERSON_WITHOUT_ADDRESS',
        gone: false,
        message: expect.stringContaining(name),
      });
      await expect(sendTo({ name: 'Zoë Lind' })).rejects.toMatchObject(failure('Zoë Lind'));
      await expect(sendTo({})).rejects.toMatchObject(failure('@ann.vogt'));
      await expect(sendTo({ name: null })).rejects.toMatchObject(failure('the assignees of a record'));
      expect(chat.messages).toEqual([]);
    });

    it('that may post to its own channel only is refused, with what to change', async () => {
      const { sendTo } = await open({ allowsOtherChannels: false });
      await expect(sendTo({})).rejects.toMatchObject({
        code: 'TIDINGS_CHAT_REFUSED',
        gone: true,
        message: expect.stringMatching(/Lock to this channel|Allow to overwrite destination channel/),
      });
    });

    it('gives up a message that it rejects', async () => {
      const { chat, send } = await open();
      const refused = { status: 200, body: { success: false, error: 'error-message-size-exceeded' } };
      chat.setFault({ response: definition === rocketChatChannel ? refused : { ...refused, status: 400 } });
      await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_MESSAGE_REFUSED', gone: false });
    });
  });
});
