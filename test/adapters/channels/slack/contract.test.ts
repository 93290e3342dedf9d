import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { slackChannels } from '../../../../adapters/channels/slack/channel.ts';
import type { SlackSettings } from '../../../../adapters/channels/slack/settings.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../../contract/channel.ts';
import { event, NOON, subscription } from '../../../samples.ts';

const KEY = 'kEyOfTheWebhook24Letters';
const PATH = `/services/T0123456789/B0123456789/${KEY}`;
const TOKEN = 'xoxb-0123456789-kEyOfTheBot';

/** The responses of a webhook and of the API for each treatment. */
interface Way {
  readonly target: (url: string) => SlackSettings;
  readonly secrets: (url: string) => readonly string[];
  readonly ok: string;
  readonly long: string;
  readonly refuse: (error: 'internal_error' | 'invalid_blocks' | 'account_inactive' | 'ratelimited') => Answer;
}

type Answer = readonly [status: number, body: string];

const webhook: Way = {
  target: () => ({ webhook: '${SLACK_WEBHOOK}' }),
  secrets: (url) => [`${url}${PATH}`, PATH, JSON.stringify(PATH).replaceAll('/', '\\/'), encodeURIComponent(PATH), KEY],
  ok: 'ok',
  long: 'ä'.repeat(100_000),
  refuse: (error) => {
    const statuses = { internal_error: 503, invalid_blocks: 400, account_inactive: 404, ratelimited: 429 };
    return [statuses[error], error === 'account_inactive' ? 'no_service' : error];
  },
};

const ok = { ok: true, channel: 'C0123456789', ts: '1763200000.000100' };

const bot: Way = {
  target: (url) => ({ token: '${SLACK_TOKEN}', channel: '#finance', api: `${url}/api/` }),
  secrets: () => [TOKEN],
  ok: JSON.stringify(ok),
  long: JSON.stringify({ ...ok, message: { text: 'ä'.repeat(100_000) } }),
  refuse: (error) => [error === 'ratelimited' ? 429 : 200, JSON.stringify({ ok: false, error })],
};

async function open(way: Way, patience: number): Promise<OpenChannel> {
  let treatment: Treatment = 'accept';
  const arrived: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    arrived.push(JSON.stringify([request.method, request.url, request.headers, body]));
    treat(way, treatment, request, body, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { SLACK_WEBHOOK: `${url}${PATH}`, SLACK_TOKEN: TOKEN };
  const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: patience });
  const channels = slackChannels({ http, secrets: localSecrets({ environment, directory: '' }), links: {} });
  const slack = way.target(url);
  return {
    channel: channels.channelFor(slack),
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => arrived,
    },
    message: {
      subscription: subscription('ops', { to: { channel: 'slack', settings: slack } }),
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    },
    secrets: way.secrets(url),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await http.close();
    },
  };
}

function treat(way: Way, treatment: Treatment, request: IncomingMessage, body: string, response: ServerResponse): void {
  const answer = ([status, text]: Answer, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'x-slack-req-id': 'req-1', ...headers }).end(text);
  if (typeof treatment === 'object') {
    answer(way.refuse('ratelimited'), { 'retry-after': String(treatment.slowDown) });
    return;
  }
  const answers: Readonly<Record<typeof treatment, () => unknown>> = {
    accept: () => answer([200, way.ok]),
    refuseForNow: () => answer(way.refuse('internal_error')),
    refuseForGood: () => answer(way.refuse('invalid_blocks')),
    gone: () => answer(way.refuse('account_inactive')),
    hang: () => {},
    cut: () => request.socket.destroy(),
    drip: () => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    babble: () => answer([200, way.long]),
    echo: () => answer([500, echoOf(request, body)], { 'x-slack-req-id': `of ${secretIn(request)}` }),
  };
  answers[treatment]();
}

/** A proxy before Slack may echo the error word, the URL and every header. */
function echoOf(request: IncomingMessage, body: string): string {
  const { url = '', headers } = request;
  const error = secretIn(request);
  const everything = { url, php: url.replaceAll('/', '\\/'), query: encodeURIComponent(url), headers, body };
  return JSON.stringify({ ok: false, error, ...everything, address: `http://${headers.host}${url}` });
}

const secretIn = ({ url = '', headers }: IncomingMessage): string =>
  headers.authorization?.split(' ').at(-1) ?? url.split('/').at(-1) ?? '';

channelContract('Slack, incoming webhook', ({ patience }) => open(webhook, patience));
channelContract('Slack, bot', ({ patience }) => open(bot, patience));
