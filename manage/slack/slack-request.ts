/** Reads what Slack sends, the same over HTTP and Socket Mode: commands, interactions and events. Parses once; acts on nothing. */

import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import { isNestedDeeper, jsonTextOf, readJsonObject } from '../../core/model/json.ts';
import { isConfigSection } from '../../runtime/config/values.ts';

/** Where something happened, and who did it. */
export interface SlackPlace {
  readonly user: string;
  /** The user name; empty if the request has none. */
  readonly userName: string;
  /** Empty for the app home and for modals. */
  readonly channel: string;
  /** `directmessage` and `privategroup` for those without a name; empty if the request has none. */
  readonly channelName: string;
  /** The thread, by the id of its first message. @default - not in a thread */
  readonly thread?: string;
  /** @default - the request has none */
  readonly responseUrl?: string;
}

/** Which installation a request is for, as far as it says so. */
export interface SlackOrigin {
  /** The id of the app; empty if the request has none. */
  readonly app: string;
  /** The workspaces that the app is installed in for this request. */
  readonly teams: readonly string[];
  readonly enterprises: readonly string[];
}

export type SlackRequest = {
  /** The same for each retry of Slack's. */
  readonly id: string;
  readonly origin: SlackOrigin;
  readonly place: SlackPlace;
} & (
  | { readonly kind: 'command'; readonly text: string; readonly triggerId: string }
  | { readonly kind: 'action'; readonly action: SlackAction; readonly triggerId: string }
  | { readonly kind: 'submission'; readonly view: SlackView; readonly triggerId: string }
  | { readonly kind: 'mention'; readonly text: string }
  | { readonly kind: 'home' }
  | { readonly kind: 'ignored' }
);

export interface SlackAction {
  readonly id: string;
  /** The value of a button, the selected option or the selected date. */
  readonly value: string;
  readonly blockId: string;
  /** The id of the message with the button; empty in a view. */
  readonly messageTs: string;
  /** Whether only this person sees the message. */
  readonly isEphemeral: boolean;
}

interface SlackView {
  readonly callbackId: string;
  /** What the app stored in the view. */
  readonly metadata: string;
  /** The values by block. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

type Json = Readonly<Record<string, unknown>>;

const section = (value: unknown): Json => (isConfigSection(value) ? value : {});

/** Slack's forms have about a dozen. */
const MAX_FIELDS = 100;

/** Slack's views have about ten. */
export const MAX_SLACK_NESTING = 64;

/** The body of a request over HTTP. Undefined if it is neither a form nor JSON, or nested too deeply. */
export function readHttpBody(contentType: string, body: string): Json | undefined {
  if (contentType.startsWith('application/json')) return readShallowObject(body);
  // Not URLSearchParams, which takes quadratic time.
  const form: Json = parse(body, '&', '=', { maxKeys: MAX_FIELDS });
  return form.payload === undefined ? form : readShallowObject(jsonTextOf(form.payload));
}

function readShallowObject(text: string): Json | undefined {
  const value = readJsonObject(text);
  return isNestedDeeper(value, MAX_SLACK_NESTING) ? undefined : value;
}

/** Undefined for a payload of no known form. */
export function readSlackRequest(payload: Json): SlackRequest | undefined {
  if (isNestedDeeper(payload, MAX_SLACK_NESTING)) return undefined;
  const type = jsonTextOf(payload.type);
  if (type === '' && jsonTextOf(payload.command) !== '') return readCommand(payload);
  if (type === 'event_callback') return readEvent(payload);
  if (type === 'block_actions') return readAction(payload);
  if (type === 'view_submission') return readSubmission(payload);
  // Shortcuts and closed views need no answer.
  return type === '' ? undefined : { ...identify(payload), place: placeOf(payload), kind: 'ignored' };
}

/** Slack repeats an event with its id, and anything else with its trigger. */
function identify(payload: Json): Pick<SlackRequest, 'id' | 'origin'> {
  const id = jsonTextOf(payload.event_id) || jsonTextOf(payload.trigger_id);
  return {
    id: id === '' ? createHash('sha256').update(JSON.stringify(payload)).digest('hex') : id,
    origin: originOf(payload),
  };
}

/**
 * In a channel that is shared with another organisation, an event and a person may be of that one: then `authorizations` and
 * `app_installed_team_id` name the workspace that has the app.
 */
function originOf(payload: Json): SlackOrigin {
  const authorizations = Array.isArray(payload.authorizations) ? payload.authorizations.map(section) : [];
  const named = authorizations.length > 0 ? authorizations : [payload];
  const view = section(payload.view);
  const installed = [jsonTextOf(view.app_installed_team_id), jsonTextOf(section(payload.team).id)];
  const filled = (texts: readonly string[]) => texts.filter((text) => text !== '');
  return {
    app: jsonTextOf(payload.api_app_id),
    teams: filled([...named.map(({ team_id: team }) => jsonTextOf(team)), ...installed]),
    enterprises: filled([
      ...named.map(({ enterprise_id: enterprise }) => jsonTextOf(enterprise)),
      jsonTextOf(section(payload.enterprise).id),
    ]),
  };
}

function readCommand(payload: Json): SlackRequest {
  const responseUrl = jsonTextOf(payload.response_url);
  return {
    ...identify(payload),
    kind: 'command',
    text: decodeText(jsonTextOf(payload.text)),
    triggerId: jsonTextOf(payload.trigger_id),
    place: {
      user: jsonTextOf(payload.user_id),
      userName: jsonTextOf(payload.user_name),
      channel: jsonTextOf(payload.channel_id),
      channelName: jsonTextOf(payload.channel_name),
      ...(responseUrl === '' ? {} : { responseUrl }),
    },
  };
}

function placeOf(payload: Json): SlackPlace {
  const [user, channel, container, message] = ['user', 'channel', 'container', 'message'].map((key) =>
    section(payload[key]),
  );
  const responseUrl = jsonTextOf(payload.response_url);
  const thread = jsonTextOf(container?.thread_ts) || jsonTextOf(message?.thread_ts);
  return {
    user: jsonTextOf(user?.id),
    userName: jsonTextOf(user?.username) || jsonTextOf(user?.name),
    channel: jsonTextOf(channel?.id) || jsonTextOf(container?.channel_id),
    channelName: jsonTextOf(channel?.name),
    ...(thread === '' ? {} : { thread }),
    ...(responseUrl === '' ? {} : { responseUrl }),
  };
}

function readAction(payload: Json): SlackRequest | undefined {
  const [first] = Array.isArray(payload.actions) ? payload.actions : [];
  const action = section(first);
  const container = section(payload.container);
  const value =
    jsonTextOf(action.value) ||
    jsonTextOf(section(action.selected_option).value) ||
    jsonTextOf(action.selected_date) ||
    '';
  return {
    ...identify(payload),
    kind: 'action',
    triggerId: jsonTextOf(payload.trigger_id),
    place: placeOf(payload),
    action: {
      id: jsonTextOf(action.action_id),
      value,
      blockId: jsonTextOf(action.block_id),
      messageTs: jsonTextOf(container.message_ts) || jsonTextOf(section(payload.message).ts),
      isEphemeral: container.is_ephemeral === true,
    },
  };
}

function readSubmission(payload: Json): SlackRequest {
  const view = section(payload.view);
  const blocks = Object.entries(section(section(view.state).values));
  const values = blocks.map(([block, inputs]) => {
    const [input] = Object.values(section(inputs)).map(section);
    const options = Array.isArray(input?.selected_options) ? input.selected_options : [input?.selected_option];
    const chosen = options.map((option) => jsonTextOf(section(option).value)).filter((value) => value !== '');
    const typed = jsonTextOf(input?.value);
    return [block, typed === '' ? chosen : [typed]] as const;
  });
  return {
    ...identify(payload),
    kind: 'submission',
    triggerId: jsonTextOf(payload.trigger_id),
    place: placeOf(payload),
    view: {
      callbackId: jsonTextOf(view.callback_id),
      metadata: jsonTextOf(view.private_metadata),
      values: Object.fromEntries(values),
    },
  };
}

function readEvent(payload: Json): SlackRequest {
  const event = section(payload.event);
  const thread = jsonTextOf(event.thread_ts);
  const place: SlackPlace = {
    user: jsonTextOf(event.user),
    userName: '',
    channel: jsonTextOf(event.channel),
    channelName: '',
    ...(thread === '' ? {} : { thread }),
  };
  if (event.type === 'app_home_opened' && event.tab !== 'messages') {
    return { ...identify(payload), kind: 'home', place: { ...place, channel: '' } };
  }
  // Bots that mention each other would never stop.
  const isFromPerson = event.bot_id === undefined && place.user !== '';
  const isCommand = event.type === 'app_mention' && isFromPerson && place.user !== SLACKBOT;
  const text = isCommand ? textToApp(payload, decodeText(jsonTextOf(event.text))) : undefined;
  if (text === undefined) return { ...identify(payload), kind: 'ignored', place };
  return { ...identify(payload), kind: 'mention', text, place };
}

/** Repeats what members have set up as its responses. */
const SLACKBOT = 'USLACKBOT';

/** What follows the mention of the app. Undefined for a sentence that begins otherwise: it is meant for others. */
function textToApp(payload: Json, text: string): string | undefined {
  const [start, mentioned] = /^\s*<@([A-Z0-9]+)(?:\|[^>]*)?>\s*/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const [own] = Array.isArray(payload.authorizations) ? payload.authorizations.map(section) : [];
  const bot = own?.is_bot === true ? jsonTextOf(own.user_id) : '';
  return bot === '' || bot === mentioned ? text.slice(start.length) : undefined;
}

/** Slack escapes three characters and turns what looks like an address into a link. */
function decodeText(text: string): string {
  return text
    .replaceAll(/<(?:https?|mailto):[^|<>\s]*\|([^<>]*)>/g, '$1')
    .replaceAll(/<((?:https?|mailto):[^|<>\s]*)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
