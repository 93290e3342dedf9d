/** Reads what Slack sends, the same over HTTP and Socket Mode: commands, interactions and events. Parses once; acts on nothing. */

import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import { isNestedDeeper, readJsonObject } from '../../core/model/json.ts';
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
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Slack's forms have about a dozen. */
const MAX_FIELDS = 100;

/** Slack's views have about ten. */
export const MAX_SLACK_NESTING = 64;

/** The body of a request over HTTP. Undefined if it is neither a form nor JSON, or nested too deeply. */
export function readHttpBody(contentType: string, body: string): Json | undefined {
  if (contentType.startsWith('application/json')) return readShallowObject(body);
  // Not URLSearchParams, which takes quadratic time.
  const form: Json = parse(body, '&', '=', { maxKeys: MAX_FIELDS });
  return form.payload === undefined ? form : readShallowObject(textOf(form.payload));
}

function readShallowObject(text: string): Json | undefined {
  const value = readJsonObject(text);
  return isNestedDeeper(value, MAX_SLACK_NESTING) ? undefined : value;
}

/** Undefined for a payload of no known form. */
export function readSlackRequest(payload: Json): SlackRequest | undefined {
  if (isNestedDeeper(payload, MAX_SLACK_NESTING)) return undefined;
  const type = textOf(payload.type);
  if (type === '' && textOf(payload.command) !== '') return readCommand(payload);
  if (type === 'event_callback') return readEvent(payload);
  if (type === 'block_actions') return readAction(payload);
  if (type === 'view_submission') return readSubmission(payload);
  // Shortcuts and closed views need no answer.
  return type === '' ? undefined : { ...identify(payload), place: placeOf(payload), kind: 'ignored' };
}

/** Slack repeats an event with its id, and anything else with its trigger. */
function identify(payload: Json): Pick<SlackRequest, 'id' | 'origin'> {
  const id = textOf(payload.event_id) || textOf(payload.trigger_id);
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
  const installed = [textOf(view.app_installed_team_id), textOf(section(payload.team).id)];
  const filled = (texts: readonly string[]) => texts.filter((text) => text !== '');
  return {
    app: textOf(payload.api_app_id),
    teams: filled([...named.map(({ team_id: team }) => textOf(team)), ...installed]),
    enterprises: filled([
      ...named.map(({ enterprise_id: enterprise }) => textOf(enterprise)),
      textOf(section(payload.enterprise).id),
    ]),
  };
}

function readCommand(payload: Json): SlackRequest {
  const responseUrl = textOf(payload.response_url);
  return {
    ...identify(payload),
    kind: 'command',
    text: decodeText(textOf(payload.text)),
    triggerId: textOf(payload.trigger_id),
    place: {
      user: textOf(payload.user_id),
      userName: textOf(payload.user_name),
      channel: textOf(payload.channel_id),
      channelName: textOf(payload.channel_name),
      ...(responseUrl === '' ? {} : { responseUrl }),
    },
  };
}

function placeOf(payload: Json): SlackPlace {
  const [user, channel, container, message] = ['user', 'channel', 'container', 'message'].map((key) =>
    section(payload[key]),
  );
  const responseUrl = textOf(payload.response_url);
  const thread = textOf(container?.thread_ts) || textOf(message?.thread_ts);
  return {
    user: textOf(user?.id),
    userName: textOf(user?.username) || textOf(user?.name),
    channel: textOf(channel?.id) || textOf(container?.channel_id),
    channelName: textOf(channel?.name),
    ...(thread === '' ? {} : { thread }),
    ...(responseUrl === '' ? {} : { responseUrl }),
  };
}

function readAction(payload: Json): SlackRequest | undefined {
  const [first] = Array.isArray(payload.actions) ? payload.actions : [];
  const action = section(first);
  const container = section(payload.container);
  const value =
    textOf(action.value) || textOf(section(action.selected_option).value) || textOf(action.selected_date) || '';
  return {
    ...identify(payload),
    kind: 'action',
    triggerId: textOf(payload.trigger_id),
    place: placeOf(payload),
    action: {
      id: textOf(action.action_id),
      value,
      blockId: textOf(action.block_id),
      messageTs: textOf(container.message_ts) || textOf(section(payload.message).ts),
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
    const chosen = options.map((option) => textOf(section(option).value)).filter((value) => value !== '');
    const typed = textOf(input?.value);
    return [block, typed === '' ? chosen : [typed]] as const;
  });
  return {
    ...identify(payload),
    kind: 'submission',
    triggerId: textOf(payload.trigger_id),
    place: placeOf(payload),
    view: {
      callbackId: textOf(view.callback_id),
      metadata: textOf(view.private_metadata),
      values: Object.fromEntries(values),
    },
  };
}

function readEvent(payload: Json): SlackRequest {
  const event = section(payload.event);
  const thread = textOf(event.thread_ts);
  const place: SlackPlace = {
    user: textOf(event.user),
    userName: '',
    channel: textOf(event.channel),
    channelName: '',
    ...(thread === '' ? {} : { thread }),
  };
  if (event.type === 'app_home_opened' && event.tab !== 'messages') {
    return { ...identify(payload), kind: 'home', place: { ...place, channel: '' } };
  }
  // Bots that mention each other would never stop.
  const isFromPerson = event.bot_id === undefined && place.user !== '';
  if (event.type !== 'app_mention' || !isFromPerson) return { ...identify(payload), kind: 'ignored', place };
  const text = decodeText(textOf(event.text)).replace(/^\s*<@[A-Z0-9]+(?:\|[^>]*)?>\s*/, '');
  return { ...identify(payload), kind: 'mention', text, place };
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
