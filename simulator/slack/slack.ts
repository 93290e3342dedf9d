/**
 * A simulated Slack: an incoming webhook, the Web API, and an installed app that gets commands, interactions and events over
 * HTTP or Socket Mode, as strict as the real one, with a page to use it. For tests and the demo; an app cannot distinguish it
 * from Slack.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen, requestUrl } from '../http/server.ts';
import { applyAnswer } from './answers.ts';
import { APP_TOKEN, type AppOptions, InstalledApp } from './app.ts';
import { type JsonObject, parseObject } from './json.ts';
import { readPayload } from './payload.ts';
import { type PersonOptions, toPerson } from './people.ts';
import { TemporaryTokens } from './temporary-tokens.ts';
import { Views } from './views.ts';
import { Visitor, type VisitorParts } from './visitor.ts';
import { json, type SlackResponse, TOKEN, WebApi } from './web-api.ts';
import { webPages } from './web-pages.ts';
import { type ChannelOptions, type PostedMessage, type SlackChannel, Workspace } from './workspace.ts';

export type { PostedMessage } from './workspace.ts';

export interface SlackOptions {
  /** @default 0, any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Messages a second for each channel, as Slack promises; Infinity for no limits, those of methods included. @default 1 */
  readonly perSecond?: number;
  /** Channels; the webhook posts into the first. @default general, finance, projects */
  readonly channels?: readonly (string | ChannelOptions)[];
  /** Milliseconds since 1970. @default - the machine's clock */
  readonly now?: () => number;
  /** The channel that the page shows until its reader chooses another. @default - the first with messages */
  readonly home?: string;
  /** Members, guests and people of other organisations. @default - none */
  readonly people?: readonly PersonOptions[];
  /** Further members by id, with their names: `{ U024ANN: 'Ann Vogt' }`. @default - none */
  readonly members?: Readonly<Record<string, string>>;
  /** Further members by mail address, for `users.lookupByEmail`: `{ 'ann@example.com': 'U024ANN' }`. @default - none */
  readonly emails?: Readonly<Record<string, string>>;
  /** OAuth scopes of the bot. @default - those that an app with commands, mentions and direct messages needs */
  readonly scopes?: readonly string[];
  /** Messages that the page offers to type. @default - none */
  readonly hints?: readonly string[];
  /** The installed app. @default - one that uses Socket Mode */
  readonly app?: AppOptions;
}

/** A fault of the next requests. */
export interface SlackFault {
  /** Number of requests that fail. @default - all, until the fault is removed */
  readonly times?: number;
  /** Delay of the response in milliseconds. @default 0 */
  readonly delay?: number;
  /** HTTP status of the response. */
  readonly status?: number;
  /** Body of that response. @default '' */
  readonly body?: string;
  /** Sent as Retry-After, in seconds. @default - none */
  readonly retryAfter?: number;
  /** An error of the API: HTTP 200, `{"ok":false,"error":…}`. */
  readonly error?: string;
  /** Stores the message, and cuts the connection before the response. @default false */
  readonly cut?: boolean;
}

export interface Slack {
  readonly url: string;
  /** Posts into the first channel. */
  readonly webhookUrl: string;
  /** Ends with a slash, as `https://slack.com/api/` does. */
  readonly apiUrl: string;
  /** Token of the bot. */
  readonly token: string;
  /** App-level token, for Socket Mode. */
  readonly appToken: string;
  readonly app: InstalledApp;
  /** In the order they came, without ephemeral ones. */
  readonly messages: readonly PostedMessage[];
  readonly channels: readonly SlackChannel[];
  /** Number of requests so far, including refused ones. */
  readonly requests: number;
  /** By id or name; throws when there is none. */
  channel(name: string): SlackChannel;
  /** A person, by id, who types, presses and sees; throws when there is none. */
  as(person: string): Visitor;
  archive(channel: string): void;
  /** As if a user removed the app from the workspace. */
  removeApp(): void;
  /** As if a user deleted a message. */
  deleteMessage(ts: string): void;
  /** Sets the fault of the next requests; undefined removes it. */
  setFault(fault: SlackFault | undefined): void;
  close(): Promise<void>;
}

const WEBHOOK = '/services/T00000001/B00000001/standin';
const API = '/api/';
const MAX_BODY = 1_000_000;
const SCOPES = [
  'app_mentions:read',
  'channels:read',
  'chat:write',
  'commands',
  'groups:read',
  'im:write',
  'users:read',
  'users:read.email',
];

export async function startSlack(options: SlackOptions = {}): Promise<Slack> {
  const { port = 0, host = '127.0.0.1', perSecond = 1, now = Date.now } = options;
  const people = peopleIn(options).map(toPerson);
  const workspace = new Workspace(options.channels ?? ['general', 'finance', 'projects'], { perSecond, now, people });
  const app = new InstalledApp(options.app ?? {}, now);
  const parts: VisitorParts = {
    workspace,
    app,
    views: new Views(),
    tokens: new TemporaryTokens(now),
    scopes: options.scopes ?? SCOPES,
    messageStates: new Map(),
    url: () => open.url,
  };
  const api = new WebApi({ ...parts, hasTiers: Number.isFinite(perSecond) });
  let fault: SlackFault | undefined;
  let faultedRequests = 0;
  let requests = 0;

  const respond = (pathname: string, query: URLSearchParams, request: IncomingMessage, raw: string | undefined) => {
    if (pathname.startsWith(API)) return api.handle({ method: pathname.slice(API.length), request, query, raw });
    const body = raw === undefined ? undefined : parseObject(raw);
    if (pathname === WEBHOOK && app.isInstalled) return handleWebhook(workspace, body);
    if (parts.tokens.isResponsePath(pathname)) return handleResponse(parts, pathname, body);
    return text(404, pathname.startsWith('/services/') ? 'no_service' : 'not found');
  };

  const as = (id: string): Visitor => {
    const person = workspace.person(id);
    if (person === undefined) throw new RangeError(`no person '${id}'`);
    return new Visitor(parts, person);
  };
  const web = webPages({ ...parts, as, home: options.home, hints: options.hints ?? [] });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = requestUrl(request);
    if (web.owns(request.method ?? 'GET', pathname)) {
      await web.serve(request, response, () => readBody(request));
      return;
    }
    requests += 1;
    const raw = await readBody(request);
    const active =
      fault !== undefined && faultedRequests < (fault.times ?? Number.POSITIVE_INFINITY) ? fault : undefined;
    if (active !== undefined) faultedRequests += 1;
    if (active?.delay !== undefined) await wait(active.delay);
    const injected = active === undefined ? undefined : faultResponse(active);
    const reply = injected ?? respond(pathname, searchParams, request, raw);
    if (active?.cut === true) {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { 'x-slack-req-id': `req-${requests}`, ...reply.headers }).end(reply.body);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => app.sockets.upgrade(request, socket, head));
  const open = await listen(server, host, port);
  const channel = (name: string): SlackChannel => {
    const channel = workspace.find(name);
    if (channel === undefined) throw new RangeError(`no channel '${name}'`);
    return channel;
  };
  return {
    url: open.url,
    webhookUrl: `${open.url}${WEBHOOK}`,
    apiUrl: `${open.url}${API}`,
    token: TOKEN,
    appToken: APP_TOKEN,
    app,
    messages: workspace.messages,
    channels: workspace.channels,
    get requests() {
      return requests;
    },
    channel,
    as,
    archive: (name) => {
      channel(name).isArchived = true;
    },
    removeApp: () => {
      app.isInstalled = false;
    },
    deleteMessage: (ts) => {
      const message = workspace.messages.find((one) => one.ts === ts);
      if (message !== undefined) workspace.remove(message);
    },
    setFault: (next) => {
      fault = next;
      faultedRequests = 0;
    },
    close: () => {
      app.close();
      return open.stop();
    },
  };
}

/** People of all three options. A person of `people` wins. */
function peopleIn({ people = [], members = {}, emails = {} }: SlackOptions): readonly PersonOptions[] {
  const byId = new Map<string, PersonOptions>();
  for (const [id, name] of Object.entries(members)) byId.set(id, { id, name });
  for (const [email, id] of Object.entries(emails)) byId.set(id, { ...(byId.get(id) ?? { id, name: id }), email });
  for (const person of people) byId.set(person.id, person);
  return [...byId.values()];
}

const text = (status: number, body: string, headers: SlackResponse['headers'] = {}): SlackResponse => ({
  status,
  body,
  headers: { 'content-type': 'text/html', ...headers },
});

function faultResponse({ status, body = '', retryAfter, error }: SlackFault): SlackResponse | undefined {
  const headers: SlackResponse['headers'] = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (error !== undefined) return json({ ok: false, error }, status ?? 200, headers);
  return status === undefined ? undefined : text(status, body, headers);
}

function handleWebhook(workspace: Workspace, body: JsonObject | undefined): SlackResponse {
  const [channel] = workspace.channels;
  if (channel === undefined) return text(404, 'channel_not_found');
  if (channel.isArchived) return text(410, 'channel_is_archived');
  const seconds = workspace.waitFor(channel);
  if (seconds > 0) return text(429, 'rate_limited', { 'retry-after': String(seconds) });
  if (body === undefined) return text(400, 'invalid_payload');
  const payload = readPayload(body);
  if ('wrong' in payload)
    return text(400, payload.wrong === 'no_text' ? 'no_text' : `invalid_payload: ${payload.wrong}`);
  workspace.post(channel, payload, { by: 'webhook' });
  return text(200, 'ok');
}

/** An answer to a response URL. A refused answer counts as a use. */
function handleResponse(
  { workspace, tokens }: VisitorParts,
  path: string,
  body: JsonObject | undefined,
): SlackResponse {
  const target = tokens.respond(path);
  if ('error' in target) return json({ ok: false, error: target.error }, 404);
  if (body === undefined) return json({ ok: false, error: 'invalid_payload' }, 400);
  const error = applyAnswer(workspace, target, body);
  return error === undefined ? text(200, 'ok') : json({ ok: false, error }, 400);
}

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = Buffer.from(chunk);
    size += piece.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}
