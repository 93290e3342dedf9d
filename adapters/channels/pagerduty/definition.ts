/** PagerDuty: an alert for each record that needs action, through the Events API v2. */

import { SECOND } from '../../../core/model/time.ts';
import { defineChannel } from '../definition.ts';
import { checkProtocol } from '../http/check.ts';
import type { PagerDutySettings } from './settings.ts';
import { PAGERDUTY_TEMPLATE_PARTS } from './template-parts.ts';

export const pagerDutyChannel = defineChannel({
  name: 'pagerduty',
  label: 'PagerDuty',
  summary: 'Alerts of a PagerDuty service: what is late triggers, what is done resolves, the rest are change events.',
  audience: 'people',
  // An alert is about one record, so several events cannot become one.
  gathers: false,
  limits: { concurrency: 1, rate: { count: 1, per: SECOND } },
  modes: ['embedded', 'aws'],
  needs: [],
  templateParts: PAGERDUTY_TEMPLATE_PARTS,
  secretKeys: ['routingKey'],
  placeholder: { routingKey: 'file:secret' },
  form: {
    fields: {
      routingKey: {
        label: 'Integration key',
        hint: 'In PagerDuty: Services, your service, Integrations, Events API v2.',
      },
      api: {
        label: 'Address of PagerDuty',
        hint: 'Only for an account in the EU.',
        example: 'https://events.eu.pagerduty.com/',
      },
    },
  },

  schema: ({ z, url, secret }) =>
    z.strictObject({
      routingKey: secret.describe('The integration key of the service. A secret.'),
      api: url
        .optional()
        .describe(
          'Base URL of the Events API. In the EU: https://events.eu.pagerduty.com/. Default: https://events.pagerduty.com/.',
        ),
    }),
  check: ({ api = '' }, context) => checkProtocol(['api'], api, context),
  describeAddress: (_: PagerDutySettings) => 'PagerDuty',
  hasThreads: () => false,
  signingSecret: () => undefined,
  permissions: () => [],
  manualChecks: () => [],
  mailsPerMessage: () => 0,

  async render(message, _settings, { links, stack, texts }) {
    const { renderPagerDutyEvent } = await import('./channel.ts');
    return { payload: renderPagerDutyEvent(message, { links, stack, summary: texts.summary }).body };
  },

  async open({ config: { links }, secrets, http, aws }) {
    const { pagerDutyChannels } = await import('./channel.ts');
    return { ...pagerDutyChannels({ http, secrets, links, stack: aws?.stack }), close: async () => {} };
  },

  async openProbe(context) {
    const { pagerDutyUrl } = await import('./channel.ts');
    const { probeUrl } = await import('../http/probe.ts');
    return { probe: (settings) => probeUrl(() => pagerDutyUrl(settings, context.secrets), context) };
  },
});
