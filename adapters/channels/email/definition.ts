/** Mail: messages for people, over SMTP or through SES. */

import { PERSON_ROLES } from '../../../core/model/subscription.ts';
import { ROLE_OPTIONS } from '../channel-form.ts';
import { defineChannel } from '../definition.ts';
import type { EmailSettings } from './settings.ts';
import { EMAIL_TEMPLATE_PARTS } from './template-parts.ts';

const TO = `expected a list of mail addresses, or one of ${PERSON_ROLES.join(', ')}`;

export const emailChannel = defineChannel({
  name: 'email',
  label: 'mail',
  summary: 'Messages to mail addresses, or to the people concerned.',
  audience: 'people',
  gathers: true,
  limits: { concurrency: 1 },
  modes: ['embedded', 'aws'],
  needs: ['mail'],
  templateParts: EMAIL_TEMPLATE_PARTS,
  secretKeys: [],
  placeholder: { to: ['tidings@example.com'] },
  form: {
    fields: {
      to: {
        label: 'Who gets the mail',
        hint: 'Each person concerned gets a mail of their own, about what concerns them.',
        example: 'ann@example.com',
        options: { '': 'These addresses', ...ROLE_OPTIONS },
      },
      fallback: {
        label: 'Address for the rest',
        hint: 'Gets what concerns no one, or a person without an address.',
        example: 'office@example.com',
        isForRoles: true,
      },
    },
  },

  schema: ({ z, mailAddress, whenSection }) =>
    z
      .strictObject({
        to: z
          .union(
            [
              z.array(mailAddress, { error: TO }).min(1, { error: 'expected at least one mail address' }),
              z.enum(PERSON_ROLES, { error: TO }),
            ],
            { error: TO },
          )
          .describe(
            'Who gets the mail, each their own copy: a list of addresses; or assignees, owners, followers or projectmanager, and each person gets a mail of their own about the records that concern them.',
          ),
        fallback: mailAddress
          .optional()
          .describe(
            'Only with assignees, owners, followers or projectmanager: who gets what concerns no one, or a person without an address. Default: no one.',
          ),
      })
      .refine(({ to, fallback }) => fallback === undefined || typeof to === 'string', {
        error: `expected fallback only with one of ${PERSON_ROLES.join(', ')}`,
        when: whenSection,
      })
      .meta({ anyOf: [{ not: { required: ['fallback'] } }, { properties: { to: { type: 'string' } } }] }),

  check: () => [],
  describeAddress: ({ to }: EmailSettings) => (typeof to === 'string' ? to : to.join(', ')),
  personal: ({ to, fallback }) => (typeof to === 'string' ? { role: to, fallback } : undefined),
  addresses: ({ to }) => (typeof to === 'string' ? [] : to),
  hasThreads: () => false,
  signingSecret: () => undefined,
  // The stack grants the permission to send from `mail.from`.
  permissions: () => [],
  manualChecks: () => [],
  mailsPerMessage: ({ to }) => (typeof to === 'string' ? 1 : to.length),

  async render(message, _settings, { links, byTemplate }) {
    const { renderMail } = await import('./render-mail.ts');
    const { html, ...mail } = renderMail(message, links);
    // If the text comes from a template, the default HTML is omitted, because it would differ from the text.
    return byTemplate.includes('text') || html === undefined ? mail : { ...mail, html };
  },

  async open(context) {
    const { openEmail } = await import('./open.ts');
    return openEmail(context);
  },

  async openProbe(context) {
    const { probeMailServer } = await import('./probe.ts');
    // All mails use the same server: one probe is enough.
    let result: ReturnType<typeof probeMailServer> | undefined;
    return {
      probe: () => {
        result ??= probeMailServer(context);
        return result;
      },
    };
  },
});
