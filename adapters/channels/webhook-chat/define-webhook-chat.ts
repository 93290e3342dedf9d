/**
 * Defines a channel that posts messages for people to the webhook of a chat. The definition of the chat adds what differs;
 * its dialect is imported at the first message.
 */

import type * as z from 'zod';
import { PERSON_ROLES } from '../../../core/model/subscription.ts';
import { SECOND } from '../../../core/model/time.ts';
import type { ChannelTraits, MarkupEscaping } from '../../../core/ports/channel.ts';
import { type ChannelForm, type FieldWords, ROLE_OPTIONS } from '../channel-form.ts';
import {
  type ChannelDefinition,
  defineChannel,
  type SchemaKit,
  type SettingsProblem,
  type ValidParts,
} from '../definition.ts';
import { checkProtocol } from '../http/check.ts';
import type { ChatDialect, WebhookChatSettings } from './dialect.ts';

export interface WebhookChat<Name extends string, Settings extends WebhookChatSettings> {
  readonly name: Name;
  /** The display name. */
  readonly label: string;
  /** What the webhook posts into: `A Discord channel`. */
  readonly receiver: string;
  /** @default - one message at a time, one a second */
  readonly limits?: ChannelTraits['limits'];
  /** The markup of templates, in which values are escaped. */
  readonly markup: MarkupEscaping;
  /** Characters of a template's text. */
  readonly maxTextLength: number;
  /** What an id of a person looks like. @default - people cannot be mentioned */
  readonly memberId?: { readonly pattern: RegExp; readonly example: string };
  /** Whether the webhook can send direct messages to the people concerned. @default false */
  readonly hasDirectMessages?: boolean;
  /** Further settings. @default - none */
  readonly settings?: (kit: SchemaKit) => Readonly<Record<string, z.ZodType>>;
  /** The words of these settings in a form. @default - none */
  readonly words?: ChannelForm['fields'];
  /** Problems that the schema cannot express. @default - none */
  readonly check?: (settings: ValidParts<Settings>) => readonly SettingsProblem[];
  /** @default - no threads */
  readonly hasThreads?: (settings: Settings) => boolean;
  /** Imports the dialect. */
  readonly load: () => Promise<WebhookChatModule<Settings>>;
}

/** The file `channel.ts` of a chat: it contains everything that is imported at first use. */
interface WebhookChatModule<Settings extends WebhookChatSettings> {
  readonly dialect: ChatDialect<Settings>;
  readonly sender: typeof import('./webhook-sender.ts');
}

export function defineWebhookChat<const Name extends string, Settings extends WebhookChatSettings>(
  chat: WebhookChat<Name, Settings>,
): ChannelDefinition<Name, Settings> {
  const {
    name,
    label,
    receiver,
    markup,
    maxTextLength,
    memberId,
    hasDirectMessages = false,
    settings,
    words,
    check,
    load,
  } = chat;
  const hasThreads = chat.hasThreads ?? (() => false);
  const templateParts = {
    text: { form: 'text', summary: 'the message', escaping: markup, separator: '\n', maxLength: maxTextLength },
  } as const;
  const identity = { name, label, templateParts, hasThreads };
  return defineChannel<Name, Settings>({
    name,
    label,
    summary: `${receiver}, by webhook.`,
    audience: 'people',
    gathers: true,
    limits: chat.limits ?? { concurrency: 1, rate: { count: 1, per: SECOND } },
    modes: ['embedded', 'aws'],
    needs: [],
    templateParts,
    secretKeys: ['webhook'],
    placeholder: { webhook: 'file:secret' } as Settings,
    form: {
      fields: {
        webhook: {
          label: 'Address of the webhook',
          hint: `${label} shows it when you add a webhook. It is stored as a secret.`,
          example: 'https://…',
        },
        ...(memberId === undefined ? {} : { mentions: mentionsWords(label, memberId) }),
        ...(hasDirectMessages ? personalWords(label) : {}),
        ...words,
      },
    },
    schema: (kit) =>
      kit.z
        .strictObject(
          {
            webhook: kit.secret.describe('The webhook’s URL. A secret.'),
            ...(memberId === undefined ? {} : { mentions: mentionsSchema(kit, label, memberId) }),
            ...(hasDirectMessages ? personalSchema(kit, label) : {}),
            ...settings?.(kit),
          },
          hasDirectMessages ? {} : { error: refuseDirectMessages(label) },
        )
        .refine((parsed) => !('fallback' in parsed) || 'to' in parsed, {
          error: 'expected to, the people concerned, if fallback is given',
          when: kit.whenSection,
        })
        .transform((parsed) => parsed as object as Settings),

    /** The whole URL is a secret: it is checked where the environment has it. */
    check: (parsed, context) => [
      ...checkProtocol(['webhook'], context.knownSecret(parsed.webhook ?? '') ?? '', context),
      ...(check?.(parsed) ?? []),
    ],

    describeAddress: ({ to }) => (to === undefined ? label : `${label} ${to}`),
    peopleKeys: ({ mentions = {} }) => Object.keys(mentions),
    personal: ({ to: role, fallback, mentions = {} }) =>
      role === undefined ? undefined : { role, fallback, known: Object.keys(mentions) },
    hasThreads,
    signingSecret: () => undefined,
    permissions: () => [],
    manualChecks: () => [],
    mailsPerMessage: () => 0,

    async render(message, parsed, { links, stack, texts }) {
      const { dialect, sender } = await load();
      const content = sender.chatContent(message, parsed, { links, stack, text: texts.text });
      return { payload: dialect.renderPayload(content) };
    },

    async open({ config: { links }, secrets, http, aws }) {
      const { dialect, sender } = await load();
      return sender.openWebhookSender(identity, dialect, { http, secrets, links, stack: aws?.stack });
    },

    async openProbe(context) {
      const { sender } = await load();
      const { probeUrl } = await import('../http/probe.ts');
      const resolve = (reference: string) => context.secrets.resolve(reference);
      return { probe: (parsed) => probeUrl(() => sender.webhookUrl(identity, parsed, resolve), context) };
    },
  });
}

const mentionsWords = (label: string, { example }: MemberId): FieldWords => ({
  label: 'People to mention',
  hint: `One in each line: a mail address or a name, and the id in ${label}.`,
  example: `ann@example.com: ${example}`,
});

const personalWords = (label: string): ChannelForm['fields'] => ({
  to: {
    label: 'Who gets the messages',
    hint: 'People get direct messages if they are among the people to mention.',
    options: { '': 'The channel of the webhook', ...ROLE_OPTIONS },
  },
  fallback: {
    label: 'Channel for the rest',
    hint: `Gets what concerns no one, or a person who is not in ${label}.`,
    example: 'town-square',
    isForRoles: true,
  },
});

function mentionsSchema({ z, text }: SchemaKit, label: string, { pattern, example }: MemberId) {
  return z
    .record(z.string(), text(`expected an id such as ${example}`).regex(pattern, `expected an id such as ${example}`), {
      error: `expected mail addresses or names with ids of ${label}`,
    })
    .optional()
    .describe(
      `Mail addresses (or names) of people with their ids in ${label}, such as ${example}: the people concerned are mentioned. Default: no one is.`,
    );
}

function personalSchema({ z, text }: SchemaKit, label: string) {
  return {
    to: z
      .enum(PERSON_ROLES, { error: `expected one of ${PERSON_ROLES.join(', ')}` })
      .optional()
      .describe(
        `Instead of the webhook’s channel: assignees, owners, followers or projectmanager. Each of them who is in mentions gets direct messages in ${label} about the records that concern them. Default: none.`,
      ),
    fallback: text('expected the name of a channel')
      .optional()
      .describe(
        `Only with to: the channel for what concerns no one, or a person who is not in mentions or not in ${label}. Default: none.`,
      ),
  };
}

/** The reason why a config with `to` is rejected. Other unknown keys get the usual message. */
const refuseDirectMessages =
  (label: string) =>
  ({ code, keys = [] }: { readonly code?: string; readonly keys?: readonly string[] }): string | undefined =>
    code === 'unrecognized_keys' && keys.includes('to')
      ? `expected no key 'to': a webhook of ${label} posts to its own channel only, it cannot send direct messages; the people concerned are mentioned with mentions, or use email, slack, mattermost or rocketChat`
      : undefined;

type MemberId = NonNullable<WebhookChat<string, WebhookChatSettings>['memberId']>;
