/** Opens a chat with a webhook on a server whose answers a test chooses, for the contract of channels. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ChannelDefinition } from '../../../../adapters/channels/definition.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { OpenChannel, Treatment } from '../../../contract/channel.ts';
import { event, NOON, subscription } from '../../../samples.ts';

type Answer = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>];

export interface ChatAnswers {
  readonly definition: ChannelDefinition;
  /** Settings that refer to the secret `${WEBHOOK}`, or to `${KEY}` if the address is not secret. */
  readonly settings: object | ((url: string) => object);
  /** The path and query of the webhook. @default - the address is not secret */
  readonly path?: string;
  /** The secret, or the secret part of the path. */
  readonly key: string;
  readonly accept: Answer;
  readonly refuseForNow: Answer;
  readonly refuseForGood: Answer;
  readonly gone: Answer;
  readonly slowDown: (seconds: number) => Answer;
}

export async function openChat(chat: ChatAnswers, patience: number): Promise<OpenChannel> {
  let treatment: Treatment = 'accept';
  const arrived: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    arrived.push(JSON.stringify([request.method, request.url, request.headers, body]));
    treat(chat, treatment, request, body, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { key, path = '' } = chat;
  const environment = { WEBHOOK: `${url}${path}`, KEY: key };
  const settings = typeof chat.settings === 'function' ? chat.settings(url) : chat.settings;
  const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: patience });
  const secrets = localSecrets({ environment, directory: '' });
  const config = { links: {}, network: { allow: [] } };
  const sender = await chat.definition.open({ config, secrets, http });
  const { name } = chat.definition;
  return {
    channel: sender.channelFor(settings),
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => arrived,
    },
    message: {
      subscription: subscription('ops', { to: { channel: name, settings } }),
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    },
    secrets: path === '' ? [key] : [`${url}${path}`, path, encodeURIComponent(path), key],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await http.close();
    },
  };
}

function treat(
  chat: ChatAnswers,
  treatment: Treatment,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const answer = ([status, sent, headers = {}]: Answer) => response.writeHead(status, headers).end(sent);
  if (typeof treatment === 'object') {
    answer(chat.slowDown(treatment.slowDown));
    return;
  }
  const answers: Readonly<Record<typeof treatment, () => unknown>> = {
    accept: () => answer(chat.accept),
    refuseForNow: () => answer(chat.refuseForNow),
    refuseForGood: () => answer(chat.refuseForGood),
    gone: () => answer(chat.gone),
    hang: () => {},
    cut: () => request.socket.destroy(),
    drip: () => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    babble: () => answer([200, 'ä'.repeat(100_000)]),
    echo: () => answer([500, echoOf(request, body, chat.key), { 'x-request-id': `of ${chat.key}` }]),
  };
  answers[treatment]();
}

/** A proxy before the chat may echo the error word, the URL and every header. */
function echoOf({ url = '', headers }: IncomingMessage, body: string, key: string): string {
  const everything = { url, php: url.replaceAll('/', '\\/'), query: encodeURIComponent(url), headers, body };
  return JSON.stringify({
    error: { code: key, status: key, message: key },
    code: key,
    message: key,
    ...everything,
    address: `http://${headers.host}${url}`,
  });
}
