/** An event as people read it: in one line, in Slack and in a mail. The door for channels; they carry, this words. */

export { type Mail, type MailOptions, type MailWords, mailMessage } from './mail.ts';
export { lineOf, type MessageOptions } from './message.ts';
export type { SlackBlock, SlackMessage, SlackText } from './slack-kit.ts';
export { slackMessage } from './slack-message.ts';
