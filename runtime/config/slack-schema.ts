/** The section `slack` of `tidings.yaml`: the app with which channels subscribe themselves. */

import * as z from 'zod';
import { secret, text, url } from './values.ts';

export const slackSection = z.strictObject({
  token: secret.describe('The bot’s token, such as xoxb-…: “OAuth & Permissions” on the page of the app. A secret.'),
  signingSecret: secret
    .optional()
    .describe(
      'The signing secret, for requests over HTTP: “Basic Information” on the page of the app. A secret. Required in AWS. Default: no requests over HTTP.',
    ),
  appToken: secret
    .optional()
    .describe(
      'An app-level token, such as xapp-…, with the scope connections:write, for Socket Mode, which needs no public URL. A secret. Not allowed in AWS. Default: no Socket Mode.',
    ),
  offer: z
    .array(text('expected an event type or a pattern such as task.*'), {
      error: 'expected a list of event types or patterns such as task.*',
    })
    .prefault([])
    .describe(
      'The event types that every channel may subscribe to. Anything else becomes a request to the admins. Default: none.',
    ),
  admins: z
    .array(text('expected a member id such as U0123456789'), { error: 'expected a list of Slack member ids' })
    .prefault([])
    .describe('Slack member ids of the people who decide on requests. Default: none; requests are refused.'),
  api: url.optional().describe('Base URL of Slack’s API. Default: https://slack.com/api/.'),
});
