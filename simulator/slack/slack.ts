/**
 * A simulated Slack: an incoming webhook and `chat.postMessage`, as strict as the real ones, with a page that shows
 * what arrived. For tests and the demo; a sender cannot distinguish it from Slack.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen, requestUrl } from '../http/server.ts';
import { pageOf } from './page.ts';
import { isObject, type JsonObject, readPayload } from './payload.ts';
import { type Directory, handleApi, json, type SlackResponse, TOKEN } from './web-api.ts';
import { type PostedMessage, type SlackChannel, Workspace } from './workspace.ts';

export type { PostedMessage, SlackChannel } from './workspace.ts';

export interface SlackOptions {
  /** @default 0, any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Messages a second for each channel, as Slack promises; Infinity for no limit. @default 1 */
  readonly perSecond?: number;
  /** Names of channels; the webhook posts into the first. @default general, finance, projects */
  readonly channels?: readonly string[];
  /** Milliseconds since 1970. @default - the machine's clock */
  readonly now?: () => number;
  /** The channel that the page shows until its reader chooses another. @default - the first with messages */
  readonly home?: string;
  /** Names of members, for the page: `{ U024ANN: 'Ann Vogt' }`. @default - their ids are shown */
  readonly members?: Readonly<Record<string, string>>;
  /** Mail addresses of members, for `users.lookupByEmail`: `{ 'ann@example.com': 'U024ANN' }`. @default - none */
  readonly emails?: Readonly<Record<string, string>>;
  /** OAuth scopes of the bot. @default chat:write, im:write and users:read.email */
  readonly scopes?: readonly string[];
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
  /** In the order they came. */
  readonly messages: readonly PostedMessage[];
  readonly channels: readonly SlackChannel[];
  /** Number of requests so far, including refused ones. */
  readonly requests: number;
  /** By id or name; throws when there is none. */
  channel(name: string): SlackChannel;
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

export async function startSlack(options: SlackOptions = {}): Promise<Slack> {
  const { port = 0, host = '127.0.0.1', perSecond = 1, now = Date.now, members = {} } = options;
  const workspace = new Workspace(options.channels ?? ['general', 'finance', 'projects'], { perSecond, now });
  const directory: Directory = {
    emails: new Map(Object.entries(options.emails ?? {}).map(([email, id]) => [email.toLowerCase(), id])),
    scopes: options.scopes ?? ['chat:write', 'im:write', 'users:read.email'],
  };
  let fault: SlackFault | undefined;
  let faultedRequests = 0;
  let requests = 0;
  let isInstalled = true;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = requestUrl(request);
    if (request.method === 'GET') {
      const page = pageOf(workspace, { members, requested: searchParams.get('channel') ?? '', home: options.home });
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    requests += 1;
    const raw = await readBody(request);
    const body = raw === undefined ? undefined : parseObject(raw);
    const active =
      fault !== undefined && faultedRequests < (fault.times ?? Number.POSITIVE_INFINITY) ? fault : undefined;
    if (active !== undefined) faultedRequests += 1;
    if (active?.delay !== undefined) await wait(active.delay);
    const injected = active === undefined ? undefined : faultResponse(active);
    const method = pathname.startsWith(API) ? pathname.slice(API.length) : undefined;
    const reply =
      injected ??
      (method !== undefined
        ? handleApi(workspace, directory, { method, request, raw, body, isInstalled })
        : pathname === WEBHOOK && isInstalled
          ? handleWebhook(workspace, body)
          : text(404, pathname.startsWith('/services/') ? 'no_service' : 'not found'));
    if (active?.cut === true) {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { 'x-slack-req-id': `req-${requests}`, ...reply.headers }).end(reply.body);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const open = await listen(server, host, port);
  const channel = (name: string): SlackChannel => {
    const found = workspace.find(name);
    if (found === undefined) throw new RangeError(`no channel '${name}'`);
    return found;
  };
  return {
    url: open.url,
    webhookUrl: `${open.url}${WEBHOOK}`,
    apiUrl: `${open.url}${API}`,
    token: TOKEN,
    messages: workspace.messages,
    channels: workspace.channels,
    get requests() {
      return requests;
    },
    channel,
    archive: (name) => {
      channel(name).isArchived = true;
    },
    removeApp: () => {
      isInstalled = false;
    },
    deleteMessage: (ts) => {
      const index = workspace.messages.findIndex((message) => message.ts === ts);
      if (index >= 0) workspace.messages.splice(index, 1);
    },
    setFault: (next) => {
      fault = next;
      faultedRequests = 0;
    },
    close: () => open.stop(),
  };
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

/** Undefined if the text is not a JSON object. */
function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
