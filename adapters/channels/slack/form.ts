/** The form of Slack's settings: three kinds of receivers. */

import { type ChannelForm, ROLE_OPTIONS } from '../channel-form.ts';

/** Settings of every message that the app posts. */
const OF_THE_APP = ['token', 'mentions', 'api'];

export const SLACK_FORM: ChannelForm = {
  ways: [
    { key: 'channel', label: 'A channel, as the Slack app', also: ['thread', 'threads', ...OF_THE_APP] },
    { key: 'to', label: 'The people concerned, by direct message', also: ['fallback', ...OF_THE_APP] },
    { key: 'webhook', label: 'A channel, through an incoming webhook', also: [] },
  ],
  fields: {
    channel: { label: 'Channel', hint: 'Invite the app into it first.', example: '#finance' },
    to: { label: 'Who gets the messages', options: ROLE_OPTIONS },
    webhook: {
      label: 'Address of the webhook',
      hint: 'Slack shows it when you add an incoming webhook to a channel. It is stored as a secret.',
      example: 'https://hooks.slack.com/services/…',
    },
    token: {
      label: 'Token of the app',
      hint: 'Leave it empty if this installation has a Slack app.',
      example: 'xoxb-…',
    },
    thread: {
      label: 'Thread',
      hint: 'Everything goes into the thread of this message: its id.',
      example: '1731750000.000100',
    },
    threads: {
      label: 'Threads',
      options: {
        '': 'default: one for each record',
        all: 'one for each record',
        late: 'one for each record; what is late is shown in the channel too',
        none: 'none',
      },
    },
    fallback: {
      label: 'Channel for the rest',
      hint: 'Gets what concerns no one, or a person who is not in Slack.',
      example: '#team',
      isForRoles: true,
    },
    mentions: {
      label: 'People to mention',
      hint: 'One in each line: a mail address or a name, and the member id in Slack.',
      example: 'ann@example.com: U0123456789',
    },
    api: { label: 'Address of Slack’s API', hint: 'Only for a proxy or a test.', example: 'https://slack.com/api/' },
  },
};
