/** Messages, people, channels and views as the JSON of Slack's API. Pure. */

import type { Json, JsonObject } from './json.ts';
import { isFullMember, type Person, TEAM_DOMAIN, TEAM_ID } from './people.ts';
import type { View } from './views.ts';
import type { PostedMessage, SlackChannel } from './workspace.ts';

/** How the app appears in the workspace. */
export interface AppIdentity {
  readonly appId: string;
  readonly botId: string;
  readonly botUser: string;
}

export function messageJson(message: PostedMessage, { appId, botId, botUser }: AppIdentity): JsonObject {
  const author: JsonObject =
    message.user === undefined ? { user: botUser, bot_id: botId, app_id: appId } : { user: message.user };
  return {
    type: 'message',
    ...author,
    team: TEAM_ID,
    ts: message.ts,
    text: message.text,
    blocks: message.blocks,
    ...(message.attachments.length === 0
      ? {}
      : {
          attachments: message.attachments.map((one, index) => ({ ...one, id: index + 1, fallback: '[no preview]' })),
        }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(message.isEdited === true ? { edited: { user: botUser, ts: message.ts } } : {}),
  };
}

/** The address is included only if the app may read addresses. */
export function personJson(person: Person, hasEmail: boolean): JsonObject {
  const email: JsonObject = hasEmail && person.email !== undefined ? { email: person.email } : {};
  return {
    id: person.id,
    team_id: person.team,
    name: person.handle,
    real_name: person.name,
    deleted: false,
    tz: 'Europe/Berlin',
    is_admin: person.isAdmin,
    is_owner: false,
    is_bot: false,
    is_app_user: false,
    is_email_confirmed: person.isEmailConfirmed,
    is_restricted: person.guest !== undefined,
    is_ultra_restricted: person.guest === 'single-channel',
    is_stranger: person.team !== TEAM_ID && !isFullMember(person),
    profile: { real_name: person.name, display_name: person.handle, team: person.team, ...email },
  };
}

export function channelJson(channel: SlackChannel): JsonObject {
  if (channel.direct !== undefined)
    return { id: channel.id, is_im: true, user: channel.direct, is_archived: false, is_ext_shared: false };
  return {
    id: channel.id,
    name: channel.name,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_mpim: false,
    is_private: channel.isPrivate,
    is_archived: channel.isArchived,
    is_general: channel.name === 'general',
    is_shared: channel.isShared,
    is_ext_shared: channel.isShared,
    is_org_shared: false,
    is_pending_ext_shared: false,
    is_member: channel.hasBot,
    context_team_id: TEAM_ID,
  };
}

export function viewJson(view: View, { appId, botId }: AppIdentity, stack: readonly View[] = []): JsonObject {
  const sent = (name: string, other: Json): Json => view.sent[name] ?? other;
  const position = stack.findIndex(({ id }) => id === view.id);
  return {
    id: view.id,
    team_id: TEAM_ID,
    type: view.type,
    blocks: view.blocks,
    private_metadata: sent('private_metadata', ''),
    callback_id: sent('callback_id', ''),
    external_id: sent('external_id', ''),
    state: { values: view.values },
    hash: view.hash,
    title: sent('title', null),
    close: sent('close', null),
    submit: sent('submit', null),
    clear_on_close: sent('clear_on_close', false),
    notify_on_close: sent('notify_on_close', false),
    previous_view_id: stack[position - 1]?.id ?? null,
    root_view_id: stack[0]?.id ?? view.id,
    app_id: appId,
    app_installed_team_id: TEAM_ID,
    bot_id: botId,
  };
}

export const teamJson: JsonObject = { id: TEAM_ID, domain: TEAM_DOMAIN };

/** The person in an interaction. */
export const actorJson = ({ id, handle, team }: Person): JsonObject => ({
  id,
  username: handle,
  name: handle,
  team_id: team,
});
