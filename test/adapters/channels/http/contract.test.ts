import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { httpChannels } from '../../../../adapters/channels/http/channel.ts';
import type { HttpSettings } from '../../../../adapters/channels/http/settings.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../../contract/channel.ts';
import { event, NOON, SECRET, subscription } from '../../../samples.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../http/certificate.ts';

const PASSWORD = 'pass/word+"quoted"';
const KEY = 'key-of-the-gateway/1';
const environment = { OPS_SECRET: SECRET, OPS_KEY: KEY, OPS_PASSWORD: PASSWORD };

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const TLS = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
const versions = {
  'http://': (listener: Listener) => createServer(listener),
  'https://': (listener: Listener) => createTlsServer(TLS, listener),
};

async function open(scheme: keyof typeof versions, patience: number): Promise<OpenChannel> {
  let treatment: Treatment = 'accept';
  const arrived: string[] = [];
  const sockets: Socket[] = [];
  const server = versions[scheme](async (request, response) => {
    const body = await text(request);
    arrived.push(JSON.stringify([request.method, request.url, request.headers, body]));
    if (treatment === 'cut') for (const socket of sockets) socket.destroy();
    else treat(treatment, request, body, response);
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const secrets = localSecrets({ environment, directory: '' });
  const http: HttpSettings = {
    url: `${scheme}127.0.0.1:${(server.address() as AddressInfo).port}/hook?of=ops`,
    secret: '${OPS_SECRET}',
    headers: { 'X-Key': 'Key ${OPS_KEY}' },
    auth: { basic: { user: 'ann', password: '${OPS_PASSWORD}' } },
  };
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: patience, ca: CERTIFICATE });
  const channels = httpChannels({ http: transport, secrets });
  return {
    channel: channels.channelFor(http),
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => arrived,
    },
    message: {
      subscription: subscription('ops', { to: { channel: 'http', settings: http } }),
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    },
    secrets: [SECRET, KEY, PASSWORD, JSON.stringify(PASSWORD), Buffer.from(`ann:${PASSWORD}`).toString('base64')],
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await transport.close();
    },
  };
}

function treat(
  treatment: Exclude<Treatment, 'cut'>,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const answer = (status: number, text = '', headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, headers);
    response.end(text);
  };
  if (typeof treatment === 'object') {
    answer(429, '', { 'retry-after': String(treatment.slowDown) });
    return;
  }
  const answers: Readonly<Record<typeof treatment, () => void>> = {
    accept: () => answer(204),
    refuseForNow: () => answer(503, 'later'),
    refuseForGood: () => answer(410),
    gone: () => answer(410, 'no more'),
    hang: () => {},
    drip: () => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    babble: () => answer(200, 'ä'.repeat(100_000)),
    echo: () => {
      const basic = Buffer.from(String(request.headers.authorization).slice('Basic '.length), 'base64').toString();
      const key = String(request.headers['x-key']).split(' ').at(-1) ?? '';
      const all = JSON.stringify([request.headers, body, `login ${basic}`, `bad key ${key}`]);
      answer(500, all, { 'x-request-id': `of ${key}` });
    },
  };
  answers[treatment]();
}

// Only 410 is permanent: after a deployment, a receiver may accept what it refused before.
const without = ['refuseForGood'] as const;
channelContract('http', ({ patience }) => open('http://', patience), { without });
channelContract('https', ({ patience }) => open('https://', patience), { without });
