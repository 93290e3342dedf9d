/** What Slack and a mail server do wrong in a storm. */

import type { MailboxFaults } from '../../simulator/mailbox/mailbox.ts';
import type { SlackFault } from '../../simulator/slack/slack.ts';

/** Each is equally likely. A delay ends with a cut connection. */
export const SLACK_FAULTS: readonly (SlackFault | undefined)[] = [
  undefined,
  { status: 500 },
  { status: 429, retryAfter: 3 },
  { status: 429, retryAfter: 3600 },
  { cut: true },
  { delay: 100, cut: true, times: 2 },
  { status: 410, body: 'channel_is_archived', times: 1 },
];
export const MAIL_FAULTS: readonly MailboxFaults[] = [
  {},
  { mail: { code: 451, text: 'not now' } },
  { drop: 'mail' },
  { drop: 'thanks' },
  { drop: 'connect' },
  { recipients: { 'ben@example.com': { code: 550, text: 'nobody here' } } },
  { slow: 50 },
];
