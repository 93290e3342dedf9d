/** The buttons of a message about one record, and what a press means. The app of manage/slack acts on them. */

import { clip } from '../../../core/messages/clip.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { plainText, type SlackActions, type SlackButton, type SlackDatePicker, type SlackMenu } from './block-kit.ts';

/** What people can do with a message. The names are part of messages that Slack keeps for years. */
const MESSAGE_ACTIONS = ['why', 'snooze', 'fewer', 'close', 'due', 'assign'] as const;
type MessageAction = (typeof MESSAGE_ACTIONS)[number];

/** `tidings:why` */
export const actionId = (action: string) => `tidings:${action}`;

/** The event and the subscription of a message, as the value of its buttons. */
export interface MessageReference {
  readonly event: string;
  readonly subscription: string;
  /** The only reader, such as `main/5`. @default - all who read the channel, or the message is older than this reference */
  readonly person?: string;
}

/** A date picker has no value, so the reference is the id of the block. */
function blockId({ event, subscription, person }: MessageReference): string {
  const id = `tidings:${event}:${subscription}`;
  return person === undefined ? id : `${id}:${person}`;
}

/** Undefined for a block that is not ours. */
export function readBlockId(text: string): MessageReference | undefined {
  const [, event, subscription, person] = /^tidings:(evt_[\w-]+):([\w-]+)(?::([\w-]+\/[\w-]*))?$/.exec(text) ?? [];
  if (event === undefined || subscription === undefined) return undefined;
  return { event, subscription, ...(person === undefined ? {} : { person }) };
}

/** Undefined for a test or a message of Tidings itself: there is nothing to act on. */
export function messageButtons({ events, subscription, mark, person }: OutboundMessage): SlackActions | undefined {
  const [first] = events;
  if (mark === 'test' || OWN.test(first.type)) return undefined;
  const lead = leadOf(events);
  const reference = { event: lead.id, subscription: subscription.name, ...(person === undefined ? {} : { person }) };
  const isOne = events.every(({ subject, source }) => subject === first.subject && source === first.source);
  if (!isOne) return { type: 'actions', block_id: blockId(reference), elements: [whyMenu(events)] };
  const isOver = events.some(({ type }) => /\.(closed|paid|deleted)$/.test(type));
  return {
    type: 'actions',
    block_id: blockId(reference),
    elements: [
      button('why', 'Why?'),
      ...(isOver ? [] : [button('snooze', 'Snooze until tomorrow')]),
      button('fewer', 'Fewer like this'),
      ...(isOver || !first.type.startsWith('task.') ? [] : taskButtons(lead)),
    ],
  };
}

/** The records of a list: more do not fit into a message. */
const MAX_LISTED = 10;
const MAX_TITLE = 50;

/** A menu instead of a button: a list has many records. */
function whyMenu(events: readonly TidingsEvent[]): SlackMenu {
  const latest = new Map(events.map((event) => [`${event.source} ${event.subject}`, event]));
  return {
    type: 'static_select',
    action_id: actionId('why'),
    placeholder: plainText('Why?'),
    options: [...latest.values()].slice(0, MAX_LISTED).map((event) => ({
      text: plainText(clip(titleOf(event), MAX_TITLE) || event.subject),
      value: event.id,
    })),
  };
}

function titleOf({ data, subject }: TidingsEvent): string {
  const title = data.record.title ?? data.record.name;
  return typeof title === 'string' ? title : subject;
}

/** Events of sources and subscriptions, which are no records of the account. */
const OWN = /^(source|subscription)\./;

const leadOf = (events: OutboundMessage['events']): TidingsEvent => events.at(-1) ?? events[0];

function taskButtons({ data }: TidingsEvent): readonly (SlackButton | SlackDatePicker)[] {
  const { datedue } = data.record;
  const day = typeof datedue === 'string' && /^\d{4}-\d\d-\d\d$/.test(datedue) ? datedue : undefined;
  return [
    button('close', 'Close task'),
    {
      type: 'datepicker',
      action_id: actionId('due'),
      placeholder: plainText('Move due date'),
      initial_date: day,
    },
    button('assign', 'Assign to me'),
  ];
}

const button = (action: MessageAction, label: string): SlackButton => ({
  type: 'button',
  action_id: actionId(action),
  text: plainText(label),
  value: action,
});
