/** Mail: messages for people, over SMTP or through SES. */

import { defineChannel } from '../definition.ts';
import type { EmailSettings } from './settings.ts';
import { EMAIL_TEMPLATE_PARTS } from './template-parts.ts';

export const emailChannel = defineChannel({
  name: 'email',
  label: 'mail',
  summary: 'Mail.',
  audience: 'people',
  gathers: true,
  limits: { concurrency: 1 },
  homes: ['embedded', 'aws'],
  needs: ['mail'],
  templateParts: EMAIL_TEMPLATE_PARTS,
  secretKeys: [],
  placeholder: { to: ['tidings@example.com'] },

  schema: ({ z }) =>
    z.strictObject({
      to: z
        .array(z.email({ error: 'expected a mail address' }), { error: 'expected a list of mail addresses' })
        .min(1, { error: 'expected at least one mail address' })
        .describe('Who gets the mail, each their own copy.'),
    }),

  check: () => [],
  describeAddress: ({ to }: EmailSettings) => to.join(', '),
  hasThreads: () => false,
  signingSecret: () => undefined,
  // The stack grants the permission to send from `mail.from`.
  permissions: () => [],
  manualChecks: () => [],
  mailsPerMessage: ({ to }) => to.length,

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
