import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { httpChannels } from '../../../adapters/http/channel.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import type { HttpTarget } from '../../../core/model/subscription.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../contract/channel.ts';
import { event, NOON, SECRET, subscription } from '../../samples.ts';

const PASSWORD = 'pass/word+"quoted"';
const KEY = 'key-of-the-gateway/1';
const environment = { OPS_SECRET: SECRET, OPS_KEY: KEY, OPS_PASSWORD: PASSWORD };

async function open({ patience }: { readonly patience: number }): Promise<OpenChannel> {
  let treatment: Treatment = 'accept';
  const arrived: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    arrived.push(JSON.stringify([request.method, request.url, request.headers, body]));
    treat(treatment, request, body, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const secrets = localSecrets({ environment, directory: '' });
  const http: HttpTarget = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?of=ops`,
    secret: '${OPS_SECRET}',
    headers: { 'X-Key': 'Key ${OPS_KEY}' },
    auth: { basic: { user: 'ann', password: '${OPS_PASSWORD}' } },
  };
  const channels = httpChannels({ secrets, allow: ['127.0.0.0/8'], timeout: patience });
  return {
    channel: channels.channelFor(http),
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => arrived,
    },
    parcel: {
      subscription: subscription('ops', { to: { http } }),
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    },
    secrets: [SECRET, KEY, PASSWORD, JSON.stringify(PASSWORD), Buffer.from(`ann:${PASSWORD}`).toString('base64')],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await channels.close();
    },
  };
}

function treat(treatment: Treatment, request: IncomingMessage, body: string, response: ServerResponse): void {
  if (typeof treatment === 'object') {
    response.writeHead(429, { 'retry-after': String(treatment.slowDown) }).end();
    return;
  }
  const answers: Readonly<Record<Extract<Treatment, string>, () => void>> = {
    accept: () => response.writeHead(204).end(),
    refuseForNow: () => response.writeHead(503).end('later'),
    refuseForGood: () => response.writeHead(410).end(),
    gone: () => response.writeHead(410).end('no more'),
    hang: () => {},
    cut: () => response.destroy(),
    drip: () => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    babble: () => response.writeHead(200).end('ä'.repeat(100_000)),
    echo: () => {
      const basic = Buffer.from(String(request.headers.authorization).slice('Basic '.length), 'base64').toString();
      const parts = [request.headers, body, `login ${basic}`, `bad key ${request.headers['x-key']}`.split(' ').at(-1)];
      response.writeHead(500).end(JSON.stringify(parts));
    },
  };
  answers[treatment]();
}

// The only answer that will never change is 410; what else a receiver refuses it may take after a deployment.
channelContract('http', open, { without: ['refuseForGood'] });
