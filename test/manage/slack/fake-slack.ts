/**
 * Slack's Web API and response URLs on a local port, as far as the app uses them: members, channels, messages, views. Messages and views
 * beyond Slack's limits are refused, and the world of the test fails.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readPayload } from '../../../simulator/slack/payload.ts';
import { Views } from '../../../simulator/slack/views.ts';

// The tests read what they expect; a missing part fails them.
// biome-ignore lint/suspicious/noExplicitAny: arguments of any method
export type Args = Record<string, any>;

interface SlackCall {
  readonly method: string;
  readonly args: Args;
}

export interface FakeChannel {
  readonly id: string;
  readonly name: string;
  hasBot: boolean;
  isShared: boolean;
  isPrivate: boolean;
  /** Those who have left it, or were removed. */
  readonly gone: Set<string>;
}

const FORM_ONLY = [
  'auth.test',
  'bots.info',
  'conversations.info',
  'conversations.members',
  'users.info',
  'apps.connections.open',
];

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;

export async function startFakeSlack() {
  const calls: SlackCall[] = [];
  /** What was posted to response URLs, by the last part of the URL. */
  const responses: { readonly to: string; readonly body: Args }[] = [];
  const channels = new Map<string, FakeChannel>();
  const guests = new Set<string>();
  /** What `users.info` says about people, besides their names: guests of one channel, strangers, those who left. */
  const people = new Map<string, Args>();
  /** People whom the app cannot see. */
  const unseen = new Set<string>();
  /** Errors to answer next, by method. */
  const failures = new Map<string, { status: number; body: Args }[]>();
  /** Called before an answer, which waits for it: by method, or for a response URL by its last part. */
  const gates = new Map<string, () => Promise<void>>();
  const emails = new Map<string, string>();
  /** What was refused because of its content. */
  const refused: string[] = [];
  let ts = 0;
  let socketUrl = '';

  const channel = (id: string, name: string): FakeChannel => {
    const made = { id, name, hasBot: true, isShared: false, isPrivate: false, gone: new Set<string>() };
    channels.set(id, made);
    return made;
  };
  channel('C1', 'website');
  channel('C2', 'finance');

  /** What is wrong with a message. */
  const refuse = (what: string, message: Args): string | undefined => {
    const payload = readPayload(message);
    if (!('wrong' in payload)) return undefined;
    refused.push(`${what}: ${payload.wrong}`);
    return payload.isTooLong ? 'msg_blocks_too_long' : 'invalid_blocks';
  };

  const answer = (method: string, args: Args): Args => {
    const problem = method.startsWith('chat.') ? refuse(method, args) : undefined;
    if (problem !== undefined) return { ok: false, error: problem };
    const known = channels.get(args.channel) ?? (String(args.channel).startsWith('D') ? DIRECT : undefined);
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: 'UBOT', team_id: 'T1', team: 'Agency', bot_id: 'B1' };
      case 'bots.info':
        return { ok: true, bot: { id: args.bot, app_id: 'A1', name: 'Tidings' } };
      case 'conversations.info':
        if (known === undefined) return { ok: false, error: 'channel_not_found' };
        if (known === DIRECT) return { ok: true, channel: { id: args.channel, is_im: true } };
        return {
          ok: true,
          channel: {
            id: known.id,
            name: known.name,
            is_member: known.hasBot,
            is_private: known.isPrivate,
            is_ext_shared: known.isShared,
          },
        };
      case 'conversations.members': {
        if (!known?.hasBot) return { ok: false, error: 'channel_not_found' };
        // Slack returns fewer than the limit.
        const all = [...PEOPLE.filter((one) => !known.gone.has(one)), 'UBOT'];
        const from = Number(args.cursor || 0);
        const next = from + 2 < all.length ? String(from + 2) : '';
        return { ok: true, members: all.slice(from, from + 2), response_metadata: { next_cursor: next } };
      }
      case 'users.info': {
        const id = String(args.user);
        if (unseen.has(id)) return { ok: false, error: 'user_not_found' };
        const profile = { email: emails.get(id), real_name: `Real ${id}` };
        const kind = { team_id: 'T1', is_restricted: guests.has(id), ...people.get(id) };
        return { ok: true, user: { id, name: id.toLowerCase(), ...kind, profile } };
      }
      case 'conversations.open':
        return { ok: true, channel: { id: `D${args.users}` } };
      case 'chat.postMessage':
      case 'chat.postEphemeral':
        if (known === undefined) return { ok: false, error: 'channel_not_found' };
        if (!known.hasBot) return { ok: false, error: 'not_in_channel' };
        if (known.gone.has(args.user)) return { ok: false, error: 'user_not_in_channel' };
        ts += 1;
        return { ok: true, channel: args.channel, ts: `${1_731_750_000 + ts}.000100` };
      case 'chat.update':
        return { ok: true, ts: args.ts };
      case 'views.open':
      case 'views.publish': {
        const view = method === 'views.open' ? new Views().open('U', args.view) : new Views().publish('U', args.view);
        if ('view' in view) return { ok: true };
        refused.push(`${method}: ${view.message ?? view.error}`);
        return { ok: false, error: view.error };
      }
      case 'apps.connections.open':
        return { ok: true, url: socketUrl };
      default:
        return { ok: false, error: 'unknown_method' };
    }
  };

  const server = createServer((request, response) => {
    void readBody(request).then(async (text) => {
      const path = request.url ?? '';
      const method = path.replace('/api/', '');
      await gates.get(path.split('/').at(-1) ?? '')?.();
      const failure = failures.get(path.startsWith('/respond/') ? 'respond' : method)?.shift();
      if (failure !== undefined) {
        response.writeHead(failure.status, { 'content-type': 'application/json' }).end(JSON.stringify(failure.body));
        return;
      }
      if (path.startsWith('/respond/')) {
        const body: Args = JSON.parse(text);
        const problem = body.delete_original === true ? undefined : refuse('response', body);
        if (problem === undefined) responses.push({ to: path.slice('/respond/'.length), body });
        response.writeHead(problem === undefined ? 200 : 400).end(problem ?? 'ok');
        return;
      }
      const isForm = String(request.headers['content-type']).startsWith('application/x-www-form-urlencoded');
      const args: Args = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
      calls.push({ method, args });
      // These methods take no JSON.
      const body =
        FORM_ONLY.includes(method) && !isForm ? { ok: false, error: 'invalid_arguments' } : answer(method, args);
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-oauth-scopes': 'chat:write,commands' })
        .end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    api: `${url}/api/`,
    respondUrl: (name: string) => `${url}/respond/${name}`,
    calls,
    callsOf: (method: string) => calls.filter((one) => one.method === method).map(({ args }) => args),
    responses,
    channels,
    channel,
    guests,
    people,
    unseen,
    emails,
    failures,
    gates,
    refused,
    useSocket: (value: string) => {
      socketUrl = value;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Those who are in every channel, unless they have left it. */
const PEOPLE = ['UADMIN', 'UBEN', 'UEVE', 'UGUEST', 'UANN'];

const DIRECT: FakeChannel = { id: 'D', name: '', hasBot: true, isShared: false, isPrivate: false, gone: new Set() };

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
