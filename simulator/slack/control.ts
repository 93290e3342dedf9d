/**
 * The control API of the simulated Slack, under `/_sim/`: tests in other processes type, press and read as its people, forge
 * requests to the app and cut its sockets. JSON in, JSON out. It is not part of Slack.
 */

import type { InstalledApp } from './app.ts';
import type { Entered, EnteredValues } from './element-state.ts';
import { type JsonObject, stringOr } from './json.ts';
import type { RequestUrls, SentRequest } from './signed-requests.ts';
import type { Visitor } from './visitor.ts';

export interface SlackControls {
  readonly app: InstalledApp;
  as(person: string): Visitor;
}

type Handler = (controls: SlackControls, body: JsonObject) => unknown;

export const CONTROL = '/_sim/';

const text = (body: JsonObject, name: string): string => {
  const value = body[name];
  if (typeof value !== 'string') throw new RangeError(`${name}: expected a string`);
  return value;
};

const visitor: (controls: SlackControls, body: JsonObject) => Visitor = ({ as }, body) => as(text(body, 'as'));

const pressed = (body: JsonObject) => ({
  action: text(body, 'action'),
  ...(typeof body.block === 'string' ? { block: body.block } : {}),
  value: (body.value ?? null) as Entered,
});

const entered = (body: JsonObject) => (body.values ?? {}) as EnteredValues;

/** Handlers by method and path. Each answers with what the person sees afterwards, unless it concerns the app. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'GET ': () => ({ routes: Object.keys(ROUTES) }),
  'GET sees': (controls, body) => readScreen(controls, body),
  'POST type': async (controls, body) => {
    const { thread } = body;
    await visitor(controls, body).type(
      text(body, 'channel'),
      text(body, 'text'),
      typeof thread === 'string' ? thread : undefined,
    );
    return readScreen(controls, body);
  },
  'POST press': async (controls, body) => {
    await visitor(controls, body).press(text(body, 'channel'), text(body, 'ts'), pressed(body));
    return readScreen(controls, body);
  },
  'POST press-in-view': async (controls, body) => {
    const where = body.view === 'home' ? 'home' : 'modal';
    await visitor(controls, body).pressInView(where, pressed(body), entered(body));
    return readScreen(controls, body);
  },
  'POST submit': async (controls, body) => {
    await visitor(controls, body).submit(entered(body));
    return readScreen(controls, body);
  },
  'POST close': async (controls, body) => {
    await visitor(controls, body).closeModal();
    return readScreen(controls, body);
  },
  'POST open-home': async (controls, body) => {
    await visitor(controls, body).openHome();
    return readScreen(controls, body);
  },
  'PUT app': ({ app }, { urls }) => {
    app.http.urls = urls === null ? undefined : (urls as RequestUrls);
    return { urls: app.http.urls ?? null };
  },
  'POST verify-url': async ({ app }) => ({ verified: await app.verifyUrl() }),
  'GET sent': ({ app }) => app.http.sent,
  'POST deliver': async ({ app }, body) => {
    const response = await app.http.deliver(forged(app, body));
    return { status: response.status, body: await response.text() };
  },
  'POST retry': ({ app }, body) =>
    app.resendEvent({ attempt: Number(body.attempt ?? 1), reason: stringOr(body.reason, 'http_timeout') }),
  'GET sockets': ({ app }) => ({ count: app.sockets.count }),
  'POST sockets': ({ app }, { disturb }) => {
    if (disturb === 'drop') app.sockets.drop();
    else if (disturb === 'drop-after-next-envelope') app.sockets.dropAfterNextEnvelope();
    else if (disturb === 'warning' || disturb === 'refresh_requested') app.sockets.announceDisconnect(disturb);
    else throw new RangeError('disturb: expected drop, drop-after-next-envelope, warning or refresh_requested');
    return { count: app.sockets.count };
  },
};

/** The answer to a request under `/_sim/`. Throws RangeError for what cannot be done. */
export async function control(
  controls: SlackControls,
  method: string,
  path: string,
  body: JsonObject,
): Promise<unknown> {
  const handler = ROUTES[`${method} ${path.slice(CONTROL.length)}`];
  if (handler === undefined)
    throw new RangeError(`${method} ${path}: expected one of ${Object.keys(ROUTES).join(', ')}`);
  return handler(controls, body);
}

function readScreen(controls: SlackControls, body: JsonObject) {
  const one = visitor(controls, body);
  const { channel } = body;
  return {
    messages: typeof channel === 'string' ? one.sees(channel) : [],
    modal: one.modal() ?? null,
    home: one.home() ?? null,
  };
}

/** A request that was sent before, with changes: another time, secret or body. */
function forged({ http }: InstalledApp, { index, body, secondsAgo, secret, headers }: JsonObject): SentRequest {
  const sent = http.sent.at(typeof index === 'number' ? index : -1);
  if (sent === undefined) throw new RangeError('index: nothing was sent over HTTP');
  const isSigned = typeof secondsAgo === 'number' || typeof secret === 'string';
  const changed = typeof body === 'string' ? { ...sent, body } : sent;
  const signed = isSigned
    ? http.sign(changed, { secondsAgo: Number(secondsAgo ?? 0), ...(typeof secret === 'string' ? { secret } : {}) })
    : changed;
  return { ...signed, headers: { ...signed.headers, ...((headers ?? {}) as Record<string, string>) } };
}
