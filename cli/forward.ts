/**
 * `tidings listen --forward`: a temporary subscription whose events this process passes on to an address on this machine, as
 * they were signed. The subscription is removed at the end; one that a killed process left ends by itself.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { newSigningSecret } from '../core/delivery/signing/sign.ts';
import { errorMessage } from '../core/model/errors.ts';
import { type Duration, formatDuration, MINUTE, plus, SECOND } from '../core/model/time.ts';
import { listenOn, onFreePort } from '../service/listen.ts';
import type { Backend } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, Location } from './context.ts';
import { type Received, receiverApp } from './receiver.ts';

export interface ForwardOptions {
  readonly forward: URL;
  readonly events: readonly string[];
  readonly port: number;
  readonly host: string;
  /** Where the service reaches this process. @default - the address it listens on */
  readonly url?: string;
  readonly location: Location;
  /** @default - 4 minutes: the subscription lives for 10 */
  readonly renewEvery?: Duration;
  /** Until the next try after a failed renewal. @default - 15 s */
  readonly retryAfter?: Duration;
  readonly onRequest: (received: Received) => void;
  /** For what is not an event. */
  readonly say: (line: string) => void;
}

/** How long the subscription lives without being renewed. */
const LIFETIME: Duration = 10 * MINUTE;
const RENEW_EVERY: Duration = 4 * MINUTE;
const RETRY_AFTER: Duration = 15 * SECOND;

/** A receiver on this machine answers soon, and the service waits 15 s. */
const MAX_WAIT: Duration = 14_000;

export async function runForward(options: ForwardOptions, context: Context): Promise<void> {
  const { clock, terminal, stop } = context;
  const { forward, host, port, events, onRequest, say, renewEvery = RENEW_EVERY, retryAfter = RETRY_AFTER } = options;
  const relay = { secret: newSigningSecret(randomBytes(32)), isReady: false };
  const pass = (headers: IncomingHttpHeaders, body: Uint8Array) => passOn(forward, headers, body, say);
  // The server may ask for consent before it says what it signs with.
  const waiting = receiverApp({ secret: relay.secret, clock, acceptsPing: true });
  let app = waiting;
  const listener: RequestListener = (request, response) => app(request, response);
  const server = await onFreePort(port, terminal, (candidate) => listenOn(listener, candidate, host));
  const name = nameFor(server.port);
  const url = options.url ?? `${server.url}/`;
  try {
    await withBackend(options.location, context, async ({ subscriptions }) => {
      const lend = async () => {
        const expiresAt = plus(clock.now(), LIFETIME);
        const secret = await subscriptions.lend({ name, url, events, secret: relay.secret, expiresAt });
        app = receiverApp({ secret, clock, onRequest, acceptsPing: true, forward: pass });
        say(`signing secret  ${secret}`);
      };
      const renew = async () => {
        if (await subscriptions.extend(name, plus(clock.now(), LIFETIME))) return;
        say('the subscription is gone, as after a long sleep of this machine: it is made again');
        app = waiting;
        await lend();
      };
      await lend();
      try {
        say(`forwarding      ${events.join(', ')} to ${forward.href}`);
        say(`subscription    ${name}, until this command ends; press Ctrl-C to stop`);
        await renewUntil(stop, renew, { renewEvery, retryAfter }, terminal);
      } finally {
        await removeOrSay(subscriptions, name, terminal);
      }
    });
  } finally {
    await server.close();
  }
}

/** A service that does not respond now ends it later. */
async function removeOrSay(
  subscriptions: Backend['subscriptions'],
  name: string,
  { err }: Context['terminal'],
): Promise<void> {
  await subscriptions.remove(name).catch((error: unknown) => {
    err(`the subscription ${name} could not be removed: ${errorMessage(error)}; it ends by itself within 10 minutes`);
  });
}

/** The same for each start on this port, so that the next one finds what a killed one left. */
function nameFor(port: number): string {
  const machine = hostname()
    .replaceAll(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 40);
  return `listen-${machine}-${port}`;
}

/** After a failure, such as a restart of the service, it is tried again soon. */
async function renewUntil(
  stop: AbortSignal,
  renew: () => Promise<void>,
  { renewEvery, retryAfter }: { readonly renewEvery: Duration; readonly retryAfter: Duration },
  { err }: Context['terminal'],
): Promise<void> {
  if (stop.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  const renewAfter = (wait: Duration) => {
    timer = setTimeout(() => {
      renew().then(
        () => renewAfter(renewEvery),
        (error: unknown) => {
          err(
            `the subscription could not be renewed: ${errorMessage(error)}; next try in ${formatDuration(retryAfter)}`,
          );
          renewAfter(retryAfter);
        },
      );
    }, wait);
  };
  renewAfter(renewEvery);
  await once(stop, 'abort');
  clearTimeout(timer);
}

/** Headers that belong to the connection, not to the message. */
const OF_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];

/** The status of the address, or 502: the service then tries again. */
async function passOn(
  forward: URL,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  say: (line: string) => void,
): Promise<number> {
  const kept = Object.entries(headers).flatMap(([key, value]): [string, string][] =>
    value === undefined || OF_CONNECTION.includes(key) ? [] : [[key, String(value)]],
  );
  try {
    const signal = AbortSignal.timeout(MAX_WAIT);
    const response = await fetch(forward, {
      method: 'POST',
      headers: kept,
      body: Buffer.from(body),
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    say(`${forward.href} did not answer: ${errorMessage(cause)}; the event is sent again later`);
    return 502;
  }
}
