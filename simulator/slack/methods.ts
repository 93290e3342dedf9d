/** The methods of Slack's Web API that an app uses, each with its scope and its limit of requests a minute. */

import { channelMethods } from './channel-methods.ts';
import { chatMethods } from './chat-methods.ts';
import type { MethodDefinition, MethodResult } from './method.ts';
import { TEAM_DOMAIN, TEAM_ID } from './people.ts';
import { SOCKET_PATH } from './socket-mode.ts';
import { viewMethods } from './view-methods.ts';

export const METHODS: Readonly<Record<string, MethodDefinition>> = {
  'api.test': { perMinute: 100, call: (args) => ({ ok: true, args }) },
  'auth.test': {
    call: (_, { app, url }) => ({
      ok: true,
      url: `${url()}/`,
      team: TEAM_DOMAIN,
      user: app.name.toLowerCase(),
      team_id: TEAM_ID,
      user_id: app.identity.botUser,
      bot_id: app.identity.botId,
      is_enterprise_install: false,
    }),
  },
  'bots.info': {
    scope: 'users:read',
    perMinute: 50,
    isFormOnly: true,
    call: ({ bot }, { app: { identity, name } }): MethodResult => {
      if (bot !== identity.botId) return { ok: false, error: 'bot_not_found' };
      return { ok: true, bot: { id: identity.botId, app_id: identity.appId, name, deleted: false } };
    },
  },
  'apps.connections.open': {
    isAppLevel: true,
    call: (_, { app, url }) => {
      const address = url().replace(/^http/, 'ws');
      return { ok: true, url: `${address}${SOCKET_PATH}?ticket=${app.sockets.ticket()}&app_id=${app.identity.appId}` };
    },
  },
  ...chatMethods,
  ...channelMethods,
  ...viewMethods,
};
