/** HTTP endpoints: signed webhooks for machines. */

import { defineChannel } from '../definition.ts';
import { describeUrl } from './address.ts';
import { checkHttp } from './check.ts';
import { HEADER_NAME_PATTERN } from './headers.ts';
import { HTTP_CONTENT_TYPES, HTTP_FORMATS, type HttpSettings } from './settings.ts';
import { HTTP_TEMPLATE_PARTS } from './template-parts.ts';

/** A signing secret, or a reference to one. */
const SIGNING_SECRET =
  '^(file|ssm|secret|kept):|\\$\\{|^whsec_[A-Za-z0-9+/]{32,86}={0,2}$|^whsk_[A-Za-z0-9+/]{43,86}={0,2}$';

/** Servers usually accept 100 headers; some are added on the way. */
const MAX_HEADERS = 50;

export const httpChannel = defineChannel({
  name: 'http',
  label: 'HTTP',
  summary: 'An endpoint of your own, or of a service: each event as a signed request.',
  audience: 'machines',
  gathers: false,
  limits: { concurrency: 8 },
  modes: ['embedded', 'aws'],
  needs: [],
  templateParts: HTTP_TEMPLATE_PARTS,
  secretKeys: ['secret', 'headers', 'password', 'bearer'],
  variableKeys: ['url'],
  placeholder: { url: 'https://tidings.example.com', secret: 'file:secret' },
  form: {
    fields: {
      url: {
        label: 'URL',
        hint: 'Each event is posted to it. The signing secret is shown after saving.',
        example: 'https://example.com/webhooks/tidings',
      },
      headers: {
        label: 'Headers',
        hint: 'Sent with every request: one in each line, a name and a value. They are stored as secrets.',
        example: 'x-team: finance',
      },
      'auth.basic.user': { label: 'User name', hint: 'If the endpoint asks for a user name and a password.' },
      'auth.basic.password': { label: 'Password' },
      'auth.bearer': { label: 'Bearer token', hint: 'If the endpoint asks for a token instead.' },
      format: {
        label: 'Body of a request',
        options: {
          '': 'default: the whole event',
          cloudevents: 'the whole event (CloudEvents)',
          thin: 'ids and a link only',
          standard: 'type, timestamp and data (Standard Webhooks)',
        },
      },
      contentType: {
        label: 'Content type',
        hint: 'Receivers with a CloudEvents library need application/cloudevents+json.',
        options: { '': 'default: application/json' },
      },
    },
  },

  schema: ({ z, text, url, secret, whenSection }) =>
    z
      .strictObject({
        url: url.describe('Where events are posted. https, unless network.allowHttp is on.'),
        secret: secret
          .meta({ pattern: SIGNING_SECRET })
          .describe(
            "Signs each request: 'whsec_' and base64 of 24 to 64 random bytes, or 'whsk_' and an Ed25519 key to sign as v1a. A secret.",
          ),
        headers: z
          .record(z.string(), text('expected the header’s value as text'), {
            error: 'expected headers as names with values',
          })
          .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, {
            error: `expected at most ${MAX_HEADERS} headers`,
          })
          .meta({ propertyNames: { pattern: HEADER_NAME_PATTERN }, maxProperties: MAX_HEADERS })
          .optional()
          .describe('Headers sent with every request. Values are secrets. Default: none.'),
        auth: z
          .strictObject({
            basic: z
              .strictObject({
                user: text('expected a user name').meta({ pattern: '^[^:]*$' }).describe('The user name.'),
                password: secret.describe('The password. A secret.'),
              })
              .optional()
              .describe('Basic authentication. Default: none; either basic or bearer is required.'),
            bearer: secret
              .optional()
              .describe('A bearer token. A secret. Default: none; either basic or bearer is required.'),
          })
          .refine(({ basic, bearer }) => (basic === undefined) !== (bearer === undefined), {
            error: 'expected either basic or bearer',
            when: whenSection,
          })
          .meta({ minProperties: 1, maxProperties: 1 })
          .transform((auth) => auth as NonNullable<HttpSettings['auth']>)
          .optional()
          .describe('For an endpoint behind a login. Default: none.'),
        format: z
          .enum(HTTP_FORMATS, { error: `expected one of ${HTTP_FORMATS.join(', ')}` })
          .optional()
          .describe(
            'The body: the whole event (cloudevents), ids and a link (thin), or type, timestamp and data (standard). Default: cloudevents.',
          ),
        contentType: z
          .enum(HTTP_CONTENT_TYPES, { error: `expected one of ${HTTP_CONTENT_TYPES.join(', ')}` })
          .optional()
          .describe(
            'The content type of requests. Use application/cloudevents+json for receivers built with a CloudEvents SDK, see docs/receiving.md. Not with format standard. Default: application/json.',
          ),
      })
      .meta({
        not: {
          properties: { format: { const: 'standard' }, contentType: { const: 'application/cloudevents+json' } },
          required: ['format', 'contentType'],
        },
      }),

  check: checkHttp,
  describeAddress: ({ url }: HttpSettings) => describeUrl(url),
  hasThreads: () => false,
  signingSecret: ({ secret }) => secret,
  permissions: () => [],
  manualChecks: () => [],
  mailsPerMessage: () => 0,

  async render(message, { format }, { links }) {
    const { httpBody } = await import('./http-body.ts');
    return { body: JSON.parse(httpBody(message, format, links)) };
  },

  async open({ config: { links }, secrets, http }) {
    const { httpChannels } = await import('./channel.ts');
    return { ...httpChannels({ http, secrets, links }), close: async () => {} };
  },

  async openProbe(context) {
    const { probeHttp } = await import('./probe.ts');
    return { probe: (settings) => probeHttp(settings, context) };
  },
});
