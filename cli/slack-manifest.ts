/** The manifest of the Slack app: what it may do, and how Slack reaches it. Pure. */

/** The least that the app needs. Each scope is explained in docs/slack.md. */
export const BOT_SCOPES = [
  'app_mentions:read',
  'channels:read',
  'chat:write',
  'commands',
  'groups:read',
  'im:write',
  'users:read',
  'users:read.email',
] as const;

/** @param url base URL of the deployment. @default - Socket Mode */
export function slackManifest(url?: string): object {
  const request = url === undefined ? {} : { request_url: `${url}/slack` };
  return {
    display_information: {
      name: 'Tidings',
      description: 'Brings events of your work-management account to channels that ask for them',
      background_color: '#1f3a5f',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Tidings', always_online: true },
      slash_commands: [
        {
          command: '/tidings',
          description: 'Subscribe this channel to events',
          usage_hint: 'subscribe task.overdue · list · help',
          should_escape: false,
          ...(url === undefined ? {} : { url: `${url}/slack` }),
        },
      ],
    },
    oauth_config: { scopes: { bot: BOT_SCOPES } },
    settings: {
      event_subscriptions: { ...request, bot_events: ['app_home_opened', 'app_mention'] },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: false,
    },
  };
}

/** Opens Slack's page for a new app, filled with the manifest. */
export function manifestLink(manifest: object): string {
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;
}
