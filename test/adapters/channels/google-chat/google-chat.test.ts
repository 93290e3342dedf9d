import { afterEach, describe, expect, it } from 'vitest';
import { GOOGLE_CHAT_MAX_BYTES, renderGoogleChatMessage } from '../../../../adapters/channels/google-chat/channel.ts';
import { googleChatChannel } from '../../../../adapters/channels/google-chat/definition.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import type { JsonObject } from '../../../../simulator/chat/json.ts';
import { type GoogleChat, type GoogleChatOptions, startGoogleChat } from '../../../chats/google-chat/google-chat.ts';
import { checkMessage, notifiedBy } from '../../../chats/google-chat/message.ts';
import { formattedHtml } from '../../../chats/google-chat/page.ts';
import { example, outboundMessage, tasks } from '../slack/slack-samples.ts';
import { checkAnyContent, contentOf, HOSTILE_TITLES } from '../webhook-chat/chat-samples.ts';

const ANN = '104111222333444555666';
const settings = { webhook: '${WEBHOOK}', mentions: { 'Ann Vogt': ANN } };
const asJson = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject;

/** The texts of all widgets, as the card has them. */
const textsOf = (message: ReturnType<typeof renderGoogleChatMessage>) =>
  message.cardsV2[0].card.sections
    .flatMap(({ widgets }) => widgets)
    .map((widget) =>
      'textParagraph' in widget
        ? widget.textParagraph.text
        : 'decoratedText' in widget
          ? widget.decoratedText.text
          : '',
    );

describe('a card', () => {
  it('shows what happened with a link, the facts and the type, and mentions the people concerned', () => {
    const message = renderGoogleChatMessage(contentOf(settings, [example('task.overdue')]));
    const texts = textsOf(message);
    expect(texts[0]).toMatch(
      /<a href="https:\/\/work\.example\.com\/tasks\/view\/\w+"><b>Proofread the newsletter<\/b><\/a> has/,
    );
    expect(texts).toContain('Fri 20 Nov (4 days late)');
    expect(message.text).toBe(`<users/${ANN}>`);
    expect(message.thread?.threadKey).toMatch(/^tidings-[\da-f]{32}$/);
  });

  it('lists many events by project, in a thread of its own', () => {
    const message = renderGoogleChatMessage(contentOf(settings, tasks('task.overdue', 500)));
    const texts = textsOf(message);
    expect(texts[0]).toContain('<b>500 tasks overdue</b>');
    expect(texts.join('').match(/• /g)?.length).toBe(30);
    expect(texts.at(-1)).toBe('<i>and 470 more</i>');
    expect(message).not.toHaveProperty('thread');
    expect(message).not.toHaveProperty('text');
  });

  it('is within every limit whatever the records contain', () => {
    checkAnyContent(
      settings,
      (content) => {
        const message = renderGoogleChatMessage(content);
        expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(GOOGLE_CHAT_MAX_BYTES);
        expect(checkMessage(asJson(message))).toBeUndefined();
        expect(notifiedBy(asJson(message)).filter((id) => id !== ANN)).toEqual([]);
      },
      10_000,
    );
  });

  it.each(HOSTILE_TITLES)('shows %j without a mention, a foreign link or markup', (title) => {
    for (const events of [
      [example('task.closed', { title, project: title, assignees: [title] })],
      tasks('task.closed', 3, { title, project: title }),
    ]) {
      const message = renderGoogleChatMessage(contentOf({ webhook: 'x' }, events));
      expect(notifiedBy(asJson(message))).toEqual([]);
      const html = textsOf(message).map(formattedHtml).join('');
      expect(html).not.toMatch(/<a href="(?!https:\/\/work\.example\.com\/)/);
      expect(html).not.toMatch(/<(?!\/?(?:b|i|br|span|a)\b)/);
    }
  });
});

describe('a space', () => {
  let chat: GoogleChat | undefined;
  const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
  afterEach(async () => {
    await chat?.close();
    await http.close();
  });

  async function open(options: GoogleChatOptions = {}) {
    chat = await startGoogleChat({ perSecond: Number.POSITIVE_INFINITY, ...options });
    const secrets = localSecrets({ environment: { WEBHOOK: chat.webhookUrl }, directory: '' });
    const sender = await googleChatChannel.open({ config: { links: {}, network: { allow: [] } }, secrets, http });
    const to = { channel: 'googleChat', settings };
    const send = (change: Partial<OutboundMessage> = {}, type = 'task.overdue') =>
      sender.channelFor(settings).send(outboundMessage([example(type)], change, { to }));
    return { chat, send };
  }

  it('has one thread for each record', async () => {
    const { chat, send } = await open();
    expect(await send({ delivery: 'dlv_1' })).toMatchObject({ status: 200 });
    await send({ delivery: 'dlv_2' }, 'task.closed');
    await send({ delivery: 'dlv_3' }, 'invoice.paid');
    const [first, second, third] = chat.messages.map(({ thread }) => thread);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(chat.messages[0]?.notified).toEqual([ANN]);
    expect(await (await fetch(chat.url)).text()).toContain('Proofread the newsletter');
  });

  it('posts a message once, although its first answer was lost', async () => {
    const { chat, send } = await open();
    chat.setFault({ times: 1, cut: true });
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_HTTP_UNREACHABLE' });
    await send();
    expect([chat.requests, chat.messages.length]).toEqual([2, 1]);
  });

  it('asks for a pause above one request a second', async () => {
    const { send } = await open({ perSecond: 1, now: () => 0 });
    await send();
    await expect(send()).rejects.toMatchObject({ code: 'TIDINGS_CHAT_BUSY', evidence: { status: 429 } });
  });

  it('gives up when the space was deleted', async () => {
    const { chat, send } = await open();
    chat.deleteSpace();
    await expect(send()).rejects.toMatchObject({
      code: 'TIDINGS_CHAT_REFUSED',
      gone: true,
      message: 'Google Chat answered 404 NOT_FOUND: the webhook or its space was deleted: create another',
    });
  });
});
