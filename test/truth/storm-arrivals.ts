/** Reads the mails and Slack messages of a storm as they arrive, for storm-judge.ts. */

import type { Mailbox } from '../../simulator/mailbox/mailbox.ts';
import type { Slack } from '../../simulator/slack/slack.ts';
import { readMail, readSlack } from './read-message.ts';
import type { Arrived } from './storm-judge.ts';

/** Replays and tests describe what happened, or nothing: they are not judged. */
export function isOfPresent({ message }: Arrived): boolean {
  return !/^(?:\[|🔁|🧪)/u.test(message.title);
}

/**
 * Returns a function that reads what arrived since its last call, without the messages of a webhook, whose template has event
 * ids only.
 *
 * @param personal the subscription whose mails have one reader each
 */
export function readArrivals(
  { mailbox, slack }: { readonly mailbox: Pick<Mailbox, 'mails'>; readonly slack: Pick<Slack, 'messages'> },
  personal: string,
): () => readonly Arrived[] {
  let [mails, posts] = [0, 0];
  return () => {
    const newMails = mailbox.mails.slice(mails);
    const newPosts = slack.messages.slice(posts).filter(({ by }) => by === 'bot');
    [mails, posts] = [mailbox.mails.length, slack.messages.length];
    const arrived: readonly Arrived[] = [
      ...newMails.map((mail) => {
        const isPersonal = mail.parsed.text?.includes(`subscription ${personal}`) === true;
        return { message: readMail(mail), ...(isPersonal ? { address: mail.envelope.to[0] } : {}) };
      }),
      ...newPosts.map((post) => ({ message: readSlack(post) })),
    ];
    return arrived.filter(isOfPresent);
  };
}
