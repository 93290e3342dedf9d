/** Receivers people write: one right, the others wrong in one way each. All on real ports. */

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { recentIds, verify } from '../../kit/verify.ts';
import { SECRET } from '../samples.ts';

interface Came {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Whether it is taken. */
type Judge = (came: Came) => boolean | Promise<boolean>;

const header = ({ headers }: Came, name: string) => String(headers[`webhook-${name}`] ?? '');

/** As many write it by hand, with the parts that go wrong left to choose. */
function byHand(wrong: {
  readonly content?: (came: Came) => string;
  readonly isFresh?: (age: number) => boolean;
  readonly fits?: (given: string, right: string) => boolean;
}): Judge {
  return (came) => {
    const content = wrong.content?.(came) ?? `${header(came, 'id')}.${header(came, 'timestamp')}.${came.body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const right = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    const age = Math.floor(Date.now() / 1000) - Number(header(came, 'timestamp'));
    if (!(wrong.isFresh?.(age) ?? Math.abs(age) <= 300)) return false;
    return (wrong.fits ?? ((given, r) => given.split(' ').includes(r)))(header(came, 'signature'), right);
  };
}

export const JUDGES = {
  right: ({ headers, body }: Came) =>
    verify({ secret: SECRET, headers, body }).then(
      () => true,
      () => false,
    ),
  rightByHand: byHand({}),
  takesEverything: () => true,
  refusesEverything: () => false,
  ignoresTime: byHand({ isFresh: () => true }),
  ignoresTheFuture: byHand({ isFresh: (age) => age <= 300 }),
  writesJsonAnew: byHand({
    content: (came) =>
      `${header(came, 'id')}.${header(came, 'timestamp')}.${came.body === '' ? '' : JSON.stringify(JSON.parse(came.body))}`,
  }),
  takesOneSignatureOnly: byHand({ fits: (given, right) => given === right }),
  takesAnyOfSeveral: byHand({ fits: (given, right) => given.includes(' ') || given === right }),
  comparesTheStart: byHand({
    fits: (given, right) => given.split(' ').some((one) => one.length > 3 && right.startsWith(one)),
  }),
  ignoresVersions: byHand({ fits: (given, right) => given.includes(right.slice(3)) }),
  takesUnsigned: byHand({ fits: (given, right) => given === '' || given.split(' ').includes(right) }),
  readsLatin1: byHand({
    content: (came) =>
      `${header(came, 'id')}.${header(came, 'timestamp')}.${Buffer.from(came.body).toString('latin1')}`,
  }),
} satisfies Readonly<Record<string, Judge>>;

export interface RunningReceiver {
  readonly url: string;
  /** Where GET answers how many were dealt with. */
  readonly counterUrl: string;
  close(): void;
}

export interface ReceiverHabits {
  /** Drops what came before. @default true */
  readonly once?: boolean;
  /** Says how many it dealt with. @default false */
  readonly tellsCount?: boolean;
  /** @default 401 */
  readonly refusal?: number;
  /** Answers instead of the judge, from the second request on. */
  readonly later?: (response: ServerResponse) => void;
  /** @default - no limit */
  readonly largest?: number;
}

export async function startJudge(judge: Judge, habits: ReceiverHabits = {}): Promise<RunningReceiver> {
  const { once = true, tellsCount = false, refusal = 401, later, largest = Infinity } = habits;
  const ids = recentIds();
  let processed = 0;
  let requests = 0;
  const server: Server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(String(processed));
    const came = { headers: request.headers, body: await text(request) };
    requests += 1;
    if (later !== undefined && requests > 1) return later(response);
    if (came.body.length > largest) return response.writeHead(413).end();
    if (!(await judge(came))) return response.writeHead(refusal).end();
    const id = header(came, 'id');
    if (!(once && ids.has(id))) processed += 1;
    ids.add(id);
    return response.writeHead(204, tellsCount ? { 'x-processed': String(processed) } : {}).end();
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
