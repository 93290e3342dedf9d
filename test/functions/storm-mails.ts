/**
 * The mails of a storm, recorded where SES accepts them: their events, the sandbox that sent them, and whether it saw the
 * response and saved the outcome. `findRepeated` of storm-messages.ts checks them.
 */

import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import type { SentMessage } from '../truth/storm-messages.ts';

/** A template with the event ids, so that checks can find the events in a mail. */
export const EVENT_IDS = { text: '{% for one in events %}{{ one.event.id }} {% endfor %}' };

interface StormMail extends SentMessage {
  readonly sandbox: string;
  isSaved: boolean;
}

export function recordMails() {
  const all: StormMail[] = [];
  const bodies: string[] = [];
  const ended = new Set<string>();
  const markInterrupted = (sandbox: string) => {
    for (const mail of all) if (mail.sandbox === sandbox && !mail.isSaved) mail.wasInterrupted = true;
  };
  return {
    all: all as readonly SentMessage[],

    /** The requests as SES got them. */
    bodies: bodies as readonly string[],

    /** Returns the message id of the response. */
    accept(sandbox: string, body: string, isResponseLost: boolean): string {
      const delivery = `ses-${all.length + 1}`;
      bodies.push(body);
      const wasInterrupted = ended.has(sandbox);
      all.push({ ...readMail(body), sandbox, delivery, wasAccepted: !isResponseLost, wasInterrupted, isSaved: false });
      return delivery;
    },

    /** A call of the sandbox failed: the outcomes of its mails in flight may be lost. */
    markInterrupted,

    /** The process died: mails that it was about to send are accepted later. */
    markEnded(sandbox: string): void {
      ended.add(sandbox);
      markInterrupted(sandbox);
    },

    /** The sandbox wrote this to a table: an outcome has the message id of its mail. */
    markSaved(sandbox: string, written: unknown): void {
      const text = JSON.stringify(written);
      for (const mail of all) {
        if (mail.sandbox !== sandbox || !text.includes(`"${mail.delivery}"`)) continue;
        mail.isSaved = true;
        // A fault that hit another call of the sandbox explains no copy of this mail.
        mail.wasInterrupted = false;
      }
    },
  };
}

export type StormMails = ReturnType<typeof recordMails>;

function readMail(body: string): Pick<SentMessage, 'subscription' | 'person' | 'events' | 'lines' | 'isMarked'> {
  const { Content, Destination } = JSON.parse(body) as SendEmailCommandInput;
  const { Subject, Body, Headers = [] } = Content?.Simple ?? {};
  const list = Headers.find(({ Name }) => Name === 'List-Id')?.Value ?? '';
  const events = Body?.Text?.Data?.match(/evt_\w+/g) ?? [];
  return {
    subscription: /^<([\w-]+)\./.exec(list)?.[1] ?? '',
    // Each reader of an event gets a mail of their own.
    person: Destination?.ToAddresses?.[0] ?? '',
    events,
    lines: events,
    isMarked: Subject?.Data?.startsWith('[') === true,
  };
}
