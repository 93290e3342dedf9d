/**
 * The messages of a storm, recorded where they leave the process: their delivery, their events, and whether
 * the response was seen. Checks that no event is sent again after a response was seen.
 */

import { groupByChange } from '../../core/messages/change-events.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { Channel, OutboundMessage } from '../../core/ports/channel.ts';
import type { Embedded } from '../../runtime/embedded/embedded.ts';

/** Where the outcome of an attempt is saved. */
type Outcomes = Pick<Embedded, 'deliveries' | 'finishJob'>;

export interface SentMessage {
  readonly subscription: string;
  readonly delivery: string;
  /** The only reader. @default - all receivers of the subscription */
  readonly person?: string;
  readonly events: readonly string[];
  /** The events that have a line in the message. */
  readonly lines: readonly string[];
  /** A replay or a test. */
  readonly isMarked: boolean;
  /** Whether the channel reported it as accepted. */
  wasAccepted: boolean;
  /** Whether a fault hit the process before the outcome was saved. */
  wasInterrupted: boolean;
}

/** Records the messages of one process. */
export function recordMessages(all: SentMessage[]) {
  const open = new Set<SentMessage>();
  const close = ({ id, attempts }: Delivery, isSaved: boolean) => {
    const ofDelivery = [...open].filter((sent) => sent.delivery === id);
    // A fault that hit another call of the process explains no copy of the message whose acceptance is saved. If the fault
    // hit the message itself, its response was lost and a retry is saved.
    const last = ofDelivery.at(-1);
    if (isSaved && last !== undefined && attempts.at(-1)?.outcome === 'accepted') last.wasInterrupted = false;
    for (const sent of ofDelivery) open.delete(sent);
  };
  return {
    /** Marks the messages in flight, which may be sent again. */
    markInterrupted(): void {
      for (const sent of open) sent.wasInterrupted = true;
    },

    channel: (channel: Channel): Channel => ({
      async send(message, signal) {
        const sent = describeMessage(message);
        all.push(sent);
        open.add(sent);
        const receipt = await channel.send(message, signal);
        sent.wasAccepted = true;
        return receipt;
      },
    }),

    /** A message is no longer in flight once its attempt is saved, by this process or another. */
    outcomes: ({ deliveries, finishJob }: Outcomes): Outcomes => ({
      deliveries: {
        ...deliveries,
        async saveAttempt(delivery) {
          const isSaved = await deliveries.saveAttempt(delivery);
          close(delivery, isSaved);
          return isSaved;
        },
      },
      async finishJob(delivery, received) {
        const isSaved = await finishJob(delivery, received);
        close(delivery, isSaved);
        return isSaved;
      },
    }),
  };
}

function describeMessage({ subscription, delivery, person, events, mark }: OutboundMessage): SentMessage {
  return {
    subscription: subscription.name,
    delivery,
    person,
    events: events.map(({ id }) => id),
    lines: groupByChange(events).map(([lead]) => lead.id),
    isMarked: mark !== undefined,
    wasAccepted: false,
    wasInterrupted: false,
  };
}

/** An event whose acceptance was saved must not be sent to that subscription again, except in a replay. */
export function findRepeated(messages: readonly SentMessage[]): string[] {
  const known = new Map<string, string>();
  const lines: string[] = [];
  for (const { subscription, delivery, person = '', events, isMarked, wasAccepted, wasInterrupted } of messages) {
    if (isMarked) continue;
    for (const id of events) {
      const name = `${subscription} ${person} ${id}`;
      const before = known.get(name);
      if (before !== undefined) lines.push(`${name} was sent by ${before} and again by ${delivery}`);
      if (wasAccepted && !wasInterrupted) known.set(name, delivery);
    }
  }
  return lines;
}
