/** Webhook receivers as people write them: correct ones, and others with one fault each. All on real ports. */

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { recentIds, verify } from '../../kit/verify.ts';
import { SECRET } from '../samples.ts';

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Whether the request is accepted. */
type Verify = (received: ReceivedRequest) => boolean | Promise<boolean>;

const header = ({ headers }: ReceivedRequest, name: string) => String(headers[`webhook-${name}`] ?? '');

/** A handwritten verification. Tests replace the parts that are often wrong. */
function byHand(wrong: {
  readonly content?: (received: ReceivedRequest) => string;
  readonly isFresh?: (age: number) => boolean;
  readonly fits?: (given: string, right: string) => boolean;
}): Verify {
  return (received) => {
    const content =
      wrong.content?.(received) ?? `${header(received, 'id')}.${header(received, 'timestamp')}.${received.body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const right = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    const age = Math.floor(Date.now() / 1000) - Number(header(received, 'timestamp'));
    if (!(wrong.isFresh?.(age) ?? Math.abs(age) <= 300)) return false;
    return (wrong.fits ?? ((given, r) => given.split(' ').includes(r)))(header(received, 'signature'), right);
  };
}

export const VERIFIERS = {
  right: ({ headers, body }: ReceivedRequest) =>
    verify({ secret: SECRET, headers, body }).then(
      () => true,
      () => false,
    ),
  rightByHand: byHand({}),
  acceptsEverything: () => true,
  rejectsEverything: () => false,
  ignoresTime: byHand({ isFresh: () => true }),
  ignoresTheFuture: byHand({ isFresh: (age) => age <= 300 }),
  reserializesJson: byHand({
    content: (received) =>
      `${header(received, 'id')}.${header(received, 'timestamp')}.${received.body === '' ? '' : JSON.stringify(JSON.parse(received.body))}`,
  }),
  acceptsOneSignatureOnly: byHand({ fits: (given, right) => given === right }),
  acceptsAnyOfSeveral: byHand({ fits: (given, right) => given.includes(' ') || given === right }),
  comparesTheStart: byHand({
    fits: (given, right) => given.split(' ').some((one) => one.length > 3 && right.startsWith(one)),
  }),
  ignoresVersions: byHand({ fits: (given, right) => given.includes(right.slice(3)) }),
  acceptsUnsigned: byHand({ fits: (given, right) => given === '' || given.split(' ').includes(right) }),
  readsLatin1: byHand({
    content: (received) =>
      `${header(received, 'id')}.${header(received, 'timestamp')}.${Buffer.from(received.body).toString('latin1')}`,
  }),
} satisfies Readonly<Record<string, Verify>>;

export interface RunningReceiver {
  readonly url: string;
  /** GET returns the number of processed events. */
  readonly counterUrl: string;
  close(): void;
}

export interface ReceiverOptions {
  /** Ignores ids that were processed before. @default true */
  readonly once?: boolean;
  /** Sends the number of processed events in `x-processed`. @default false */
  readonly reportsCount?: boolean;
  /** @default 401 */
  readonly refusal?: number;
  /** Responds instead of the verification, from the second request on. */
  readonly later?: (response: ServerResponse) => void;
  /** @default - no limit */
  readonly maxBytes?: number;
}

export async function startReceiver(verify: Verify, options: ReceiverOptions = {}): Promise<RunningReceiver> {
  const { once = true, reportsCount = false, refusal = 401, later, maxBytes = Infinity } = options;
  const ids = recentIds();
  let processed = 0;
  let requests = 0;
  const server: Server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(String(processed));
    const received = { headers: request.headers, body: await text(request) };
    requests += 1;
    if (later !== undefined && requests > 1) return later(response);
    if (received.body.length > maxBytes) return response.writeHead(413).end();
    if (!(await verify(received))) return response.writeHead(refusal).end();
    const id = header(received, 'id');
    if (!(once && ids.has(id))) processed += 1;
    ids.add(id);
    return response.writeHead(204, reportsCount ? { 'x-processed': String(processed) } : {}).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/hook`,
    counterUrl: `${origin}/count`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
