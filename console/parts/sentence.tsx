/** The sentence of an event, with the name of the record emphasised, and where it belongs. Plain text, escaped by JSX. */

import type { FC } from 'hono/jsx';
import type { Urgency } from '../../core/events/event-type.ts';
import { clip } from '../../core/messages/clip.ts';
import { headlineOf, urgencyOf } from '../../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { Icon } from './icon.tsx';

const URGENCY_WORDS: Readonly<Record<Urgency, string>> = {
  good: 'good news',
  plain: 'news',
  soon: 'due soon',
  late: 'needs action',
};

/** An icon that a screen reader reads as a word. */
export const UrgencyMark: FC<{ readonly event: TidingsEvent }> = ({ event }) => {
  const urgency = urgencyOf(event);
  return (
    <span class={`urgency ${urgency}`} title={URGENCY_WORDS[urgency]}>
      <Icon name={urgency} />
      <span class="unseen">{URGENCY_WORDS[urgency]}: </span>
    </span>
  );
};

interface SentenceProps {
  readonly event: TidingsEvent;
  /** Other events of the same change, which the sentence adds. @default - none */
  readonly others?: readonly TidingsEvent[];
}

export const Sentence: FC<SentenceProps> = ({ event, others = [] }) => {
  const { before, title, after } = headlineOf(event, others);
  if (title === '') return <span class="sentence">{before}</span>;
  return (
    <span class="sentence">
      {before}
      <b>
        <bdi>{title}</bdi>
      </b>
      {after}
    </span>
  );
};

const MAX_NAME_LENGTH = 80;

/** `Northwind Traders · Website relaunch`; '' if the record has neither. */
export function describePlace({ data: { record } }: TidingsEvent): string {
  const names = [record.client, record.project].filter((name) => typeof name === 'string');
  return names
    .map((name) => clip(name, MAX_NAME_LENGTH))
    .filter((name) => name !== '')
    .join(' · ');
}
