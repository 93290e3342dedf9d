/** Slack: messages for people, through an incoming webhook or as a bot. */

import { PERSON_ROLES } from '../../../core/model/subscription.ts';
import { SECOND } from '../../../core/model/time.ts';
import { defineChannel } from '../definition.ts';
import { checkProtocol } from '../http/check.ts';
import { SLACK_FORM } from './form.ts';
import { isMemberId } from './mentions.ts';
import { type SlackBotSettings, type SlackSettings, type SlackWebhookSettings, THREADS_MODES } from './settings.ts';
import { SLACK_TEMPLATE_PARTS } from './template-parts.ts';

/** Settings that only a bot has. */
const OF_BOTS = ['token', 'channel', 'thread', 'threads', 'to', 'fallback', 'api', 'mentions'];
const OF_CHANNELS = ['channel', 'thread', 'threads'];

const FOREIGN_API = 'expected token beside api: the token of the section slack is sent only to its own api';
const NO_TOKEN = 'expected the token of a bot, because the config has no section slack';

/** In JSON Schema: none of these keys. */
const without = (...keys: readonly string[]) => ({ not: { anyOf: keys.map((key) => ({ required: [key] })) } });

export const slackChannel = defineChannel({
  name: 'slack',
  label: 'Slack',
  summary: 'Messages into a Slack channel, or to the people concerned.',
  audience: 'people',
  gathers: true,
  // Slack accepts one message a second in a channel.
  limits: { concurrency: 1, rate: { count: 1, per: SECOND } },
  modes: ['embedded', 'aws'],
  needs: [],
  templateParts: SLACK_TEMPLATE_PARTS,
  secretKeys: ['webhook', 'token'],
  placeholder: { webhook: 'file:secret' },
  form: SLACK_FORM,

  schema: ({ z, text, url, secret, whenSection }) =>
    z
      .strictObject({
        webhook: secret
          .optional()
          .describe(
            'The incoming webhook’s URL. A secret. Default: none; either webhook, or token and channel, is required.',
          ),
        token: secret
          .optional()
          .describe(
            'A bot’s token, instead of a webhook: each record then has a thread of its own. A secret. Default: the token of the section slack; required without that section.',
          ),
        channel: text('expected a channel such as #finance, or its id')
          .optional()
          .describe(
            'Where the bot posts: a channel’s id or #name. Required without webhook, unless to is given. Default: none.',
          ),
        thread: text('expected the id of a message such as 1731750000.000100')
          .optional()
          .describe(
            'Only with channel: the id (ts) of a message, in whose thread all messages are posted. Default: none.',
          ),
        threads: z
          .enum(THREADS_MODES, { error: `expected one of ${THREADS_MODES.join(', ')}` })
          .optional()
          .describe(
            'Only with channel. all: further messages about a record go to the thread of the first one; late: the same, and those about something late are also shown in the channel; none: no threads. Default: all.',
          ),
        to: z
          .enum(PERSON_ROLES, { error: `expected one of ${PERSON_ROLES.join(', ')}` })
          .optional()
          .describe(
            'Instead of channel: assignees, owners, followers or projectmanager. The bot sends each of them direct messages about the records that concern them. Default: none.',
          ),
        fallback: text('expected a channel such as #team, or its id')
          .optional()
          .describe(
            'Only with to: the channel for what concerns no one, or a person who is not in Slack. Default: none.',
          ),
        api: url.optional().describe('Only with token: base URL of Slack’s API. Default: https://slack.com/api/.'),
        mentions: z
          .record(z.string(), text('expected a member id such as U0123456789'), {
            error: 'expected mail addresses or names with Slack member ids',
          })
          .optional()
          .describe(
            'Mail addresses (or names) of people with their Slack member ids: assignees are mentioned. Only for a bot. Default: no mentions.',
          ),
      })
      .refine(
        ({ webhook, token, channel, thread, threads, to, fallback, api, mentions }) =>
          webhook === undefined
            ? (channel === undefined) !== (to === undefined) &&
              (fallback === undefined || to !== undefined) &&
              (channel !== undefined || (thread === undefined && threads === undefined))
            : [token, channel, thread, threads, to, fallback, api, mentions].every((part) => part === undefined),
        { error: 'expected either webhook, or token with channel, or token with to', when: whenSection },
      )
      .meta({
        oneOf: [
          { required: ['webhook'], ...without(...OF_BOTS) },
          { required: ['channel'], ...without('webhook', 'to', 'fallback') },
          { required: ['to'], ...without('webhook', ...OF_CHANNELS) },
        ],
      })
      .transform((settings) => settings as SlackSettings),

  /** The whole webhook URL is a secret: it is checked where the environment has it. The token is sent to `api`. */
  check(settings, context) {
    const { webhook = '', api = '', token } = settings as Partial<SlackWebhookSettings & SlackBotSettings>;
    const isBot = 'channel' in settings || 'to' in settings;
    const needsToken = isBot && token === undefined && (!context.hasSlackApp || api !== '');
    const message = context.hasSlackApp ? FOREIGN_API : NO_TOKEN;
    return [
      ...(needsToken ? [{ path: ['token'], message, showsValue: false }] : []),
      ...checkProtocol(['webhook'], context.knownSecret(webhook) ?? '', context),
      ...checkProtocol(['api'], api, context),
    ];
  },

  findIneffective(settings) {
    const { mentions = {} } = settings as { readonly mentions?: Readonly<Record<string, string>> };
    return Object.entries(mentions).flatMap(([person, id]) =>
      isMemberId(id)
        ? []
        : [{ path: ['mentions', person], message: `expected a member id such as U0123456789, got '${id}'` }],
    );
  },

  describeAddress(settings: SlackSettings) {
    if ('to' in settings) return `Slack ${settings.to}`;
    return 'channel' in settings ? `Slack ${settings.channel}` : 'Slack';
  },
  peopleKeys: (settings) => ('mentions' in settings ? Object.keys(settings.mentions ?? {}) : []),
  personal(settings) {
    if (!('to' in settings)) return undefined;
    const { to: role, fallback, mentions = {} } = settings;
    return { role, fallback, known: Object.keys(mentions) };
  },
  // Only a bot can post into a thread. The direct messages of several people have no common thread.
  hasThreads: (settings) => 'channel' in settings && settings.thread === undefined && settings.threads !== 'none',
  signingSecret: () => undefined,
  permissions: () => [],
  manualChecks: () => [],
  mailsPerMessage: () => 0,

  async render(message, _settings, { links, stack, byTemplate }) {
    if (byTemplate.includes('text')) return {};
    const { renderSlackMessage } = await import('./render-slack-message.ts');
    return renderSlackMessage(message, links, { stack });
  },

  async open({ config: { links, slack }, secrets, http, aws }) {
    const { slackChannels } = await import('./channel.ts');
    return { ...slackChannels({ http, secrets, links, app: slack, stack: aws?.stack }), close: async () => {} };
  },

  async openProbe(context) {
    const { slackUrl } = await import('./channel.ts');
    const { probeUrl } = await import('../http/probe.ts');
    return { probe: (settings) => probeUrl(() => slackUrl(settings, context.secrets, context.config.slack), context) };
  },
});
