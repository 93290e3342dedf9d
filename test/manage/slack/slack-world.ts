/** The Slack app in this process: real SQLite stores, the real pipeline, a fake Slack, and requests as Slack signs them. */

import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { customEventType } from '../../../core/events/custom-events.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { fromMillis, toMillis } from '../../../core/model/time.ts';
import { manageApp } from '../../../manage/app.ts';
import type { NameEnding } from '../../../manage/slack/name-ending.ts';
import { openSlackPorts } from '../../../manage/slack/open-slack.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { slackHttpApp } from '../../../manage/slack/slack-http.ts';
import { signSlackRequest } from '../../../manage/slack/verify-signature.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { NOON } from '../../samples.ts';

export type { Args } from './fake-slack.ts';

import { type Args, startFakeSlack } from './fake-slack.ts';

const SIGNING = 'the signing secret of the tests';

export interface SlackWorldOptions {
  /** Further sections of the config. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly offer?: readonly string[];
  readonly admins?: readonly string[];
  /** The token of the account. @default - one that no account has */
  readonly token?: string;
  /** The file of the database. @default - in memory */
  readonly file?: string;
  /** @default - none, so that tests name what they make: `website`, `website-2` */
  readonly nameEnding?: NameEnding;
  /** Requests before the first one: a world on the data of another continues its numbers. @default 0 */
  readonly requests?: number;
}

export type SlackWorld = Awaited<ReturnType<typeof startSlackWorld>>;

const plainEnding: NameEnding = (_, count) => (count === 1 ? '' : `-${count}`);

export async function startSlackWorld(options: SlackWorldOptions = {}) {
  const { offer = ['task.*', 'project.*'], admins = ['UADMIN'], file = ':memory:', config: more = {} } = options;
  const slack = await startFakeSlack();
  const { token = 'operators-own-token', nameEnding = plainEnding } = options;
  const environment = { TOKEN: token, BOT: 'xoxb-test', SIGNING, MASTER: 'the master secret of tests' };
  const config = parseTree(
    'test',
    {
      ...('sources' in more ? {} : { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' } }),
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      manage: { url: 'https://tidings.example.com', secret: '${MASTER}' },
      slack: { token: '${BOT}', signingSecret: '${SIGNING}', api: slack.api, offer, admins },
      ...more,
    },
    environment,
  );
  let now = toMillis(NOON);
  const clock = { now: () => fromMillis(now) };
  const database = openDatabase(file);
  const embedded = await openEmbedded({ config, database, environment, clock, holder: 'test', random: () => 0.5 });
  const ports = openSlackPorts({ ...embedded, mode: 'embedded', holder: 'test', nameEnding });
  if (ports === undefined) throw new Error('no Slack app');
  const app = manageApp({
    ...embedded,
    sources: config.sources,
    slack: slackHttpApp({ ports, signingSecret: '${SIGNING}' }),
  });
  const errors: unknown[] = [];
  const runTask = (id: string) => runSlackWork(ports, id, (error) => errors.push(error));
  let { requests = 0 } = options;

  /** Sends a body as Slack does. */
  const send = async (body: string, { type = FORM, headers = {}, secret = SIGNING, at = now }: SendOptions = {}) => {
    const timestamp = String(Math.floor(at / 1000));
    const response = await app.request('/slack', {
      method: 'POST',
      body,
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signSlackRequest(timestamp, body, secret),
        ...headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      json: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : {},
    };
  };

  const pump = async () => {
    await tick(embedded);
    await deliverAll(embedded, {}, { runTask });
  };

  const commandBody = (
    text: string,
    { user = 'UANN', channel = 'C1', trigger = `trg.${++requests}`, name = `r${requests}` } = {},
  ) =>
    new URLSearchParams({
      token: 'legacy',
      team_id: 'T1',
      team_domain: 'agency',
      channel_id: channel,
      channel_name: slack.channels.get(channel)?.name ?? 'directmessage',
      user_id: user,
      user_name: user.toLowerCase(),
      command: '/tidings',
      text,
      api_app_id: 'A1',
      response_url: slack.respondUrl(name),
      trigger_id: trigger,
    }).toString();

  const actionBody = (action: Args, { user = 'UANN', channel = 'C1', ts = '', trigger = `trg.${++requests}` } = {}) =>
    new URLSearchParams({
      payload: JSON.stringify({
        type: 'block_actions',
        team: { id: 'T1' },
        user: { id: user, username: user.toLowerCase(), team_id: 'T1' },
        api_app_id: 'A1',
        container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: ts === '' },
        channel: { id: channel, name: slack.channels.get(channel)?.name ?? 'directmessage' },
        trigger_id: trigger,
        response_url: slack.respondUrl(`press-${trigger}`),
        actions: [{ type: 'button', action_ts: '1', block_id: 'b', ...action }],
      }),
    }).toString();

  return {
    slack,
    embedded,
    ports,
    app,
    errors,
    clock,
    send,
    pump,
    commandBody,
    actionBody,
    runTask,
    requests: () => requests,
    advance: (millis: number) => {
      now += millis;
    },
    /** Types a command, and runs its work. Returns the acknowledgement and what came to the response URL. */
    type: async (text: string, place: Parameters<typeof commandBody>[1] = {}) => {
      const before = slack.responses.length;
      const ack = await send(commandBody(text, place));
      await pump();
      return { ack, replies: slack.responses.slice(before).map(({ body }) => body) };
    },
    /** Presses a button of a message. */
    press: async (button: Args, place: Parameters<typeof actionBody>[1] = {}) => {
      const before = slack.responses.length;
      const ack = await send(actionBody(button, place));
      await pump();
      return { ack, replies: slack.responses.slice(before).map(({ body }) => body) };
    },
    /** Submits a form with these inputs, by block. */
    submit: async (callback: string, inputs: Args, { user = 'UANN', metadata = IN_WEBSITE } = {}) => {
      const before = slack.responses.length;
      const values = Object.fromEntries(Object.entries(inputs).map(([block, input]) => [block, { [block]: input }]));
      const payload = {
        type: 'view_submission',
        team: { id: 'T1' },
        user: { id: user, username: user.toLowerCase(), team_id: 'T1' },
        api_app_id: 'A1',
        trigger_id: `trg.${++requests}`,
        view: { callback_id: callback, private_metadata: metadata, state: { values } },
      };
      const ack = await send(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
      await pump();
      return { ack, replies: slack.responses.slice(before).map(({ body }) => body) };
    },
    /** A person opens the Home tab. */
    openHome: async (user: string) => {
      const opened = { type: 'app_home_opened', tab: 'home', user };
      const payload = { type: 'event_callback', event_id: `Ev${++requests}`, team_id: 'T1', api_app_id: 'A1' };
      const ack = await send(JSON.stringify({ ...payload, event: opened }), { type: 'application/json' });
      await pump();
      return ack;
    },
    /** Records events, with deliveries to none. */
    record: async (...events: readonly TidingsEvent[]) => {
      for (const one of events) await embedded.events.record([{ event: one, deliveries: [] }]);
    },
    customTypes: config.customEvents.map(customEventType),
    stop: async () => {
      await embedded.close();
      await slack.stop();
      if (slack.refused.length > 0) throw new Error(`beyond the limits of Slack: ${slack.refused.join('; ')}`);
    },
  };
}

interface SendOptions {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  /** Milliseconds. */
  readonly at?: number;
}

const FORM = 'application/x-www-form-urlencoded';
const IN_WEBSITE = JSON.stringify({ channel: 'C1', channelName: 'website' });

/** The button with this label in a message. */
export function findButton(message: Args | undefined, label: string): Args {
  const all = [...(message?.blocks ?? []), ...(message?.attachments ?? []).flatMap((one: Args) => one.blocks)];
  const found = all
    .flatMap((block: Args) =>
      (block.elements ?? []).map((element: Args) => ({ ...element, block_id: block.block_id ?? 'b' })),
    )
    .find((element: Args) => element.text?.text === label || element.placeholder?.text === label);
  if (found === undefined) throw new Error(`no button '${label}' in ${JSON.stringify(message)}`);
  return found;
}

/** All text of a message. */
export const textIn = (message: unknown) => JSON.stringify(message);
