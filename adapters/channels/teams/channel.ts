/** Renders messages as Adaptive Cards for the webhook of a Teams workflow, and interprets its responses. */

import type { Urgency } from '../../../core/events/event-type.ts';
import type { ChatCard } from '../../../core/messages/chat-card.ts';
import { fitGroups } from '../../../core/messages/fit-groups.ts';
import { fitText } from '../../../core/messages/fit-text.ts';
import type { Fact } from '../../../core/messages/record-facts.ts';
import { interpretChatResponse, type Refusal, textAt } from '../webhook-chat/chat-response.ts';
import type { ChatContent, ChatDialect, Mention } from '../webhook-chat/dialect.ts';
import {
  type AdaptiveCard,
  type CardElement,
  richText,
  type TeamsMention,
  type TeamsMessage,
  textRun,
  toRuns,
} from './adaptive-card.ts';
import { escapeTeams } from './escape.ts';
import type { TeamsSettings } from './settings.ts';

export * as sender from '../webhook-chat/webhook-sender.ts';

/**
 * The largest message, in characters of JSON with everything but ASCII escaped. Teams shows nothing above 28,672 bytes, which
 * it counts after the workflow has wrapped the card, and the workflow has accepted the message by then.
 */
export const TEAMS_MAX_SIZE = 20_480;

export const teamsDialect: ChatDialect<TeamsSettings> = {
  renderPayload: renderTeamsMessage,
  interpret: (response, at) => interpretChatResponse(response, at, readWorkflowError(response.body)),
};

export function renderTeamsMessage({ card, text, mentions }: ChatContent<TeamsSettings>): TeamsMessage {
  if (text !== undefined) return templateMessage(card, text);
  return card.groups.length > 0 ? summaryMessage(card) : eventMessage(card, mentions);
}

const STYLES: Readonly<Record<Urgency, 'default' | 'good' | 'warning' | 'attention'>> = {
  plain: 'default',
  good: 'good',
  soon: 'warning',
  late: 'attention',
};

function eventMessage(card: ChatCard, mentions: readonly Mention[]): TeamsMessage {
  const people = mentions.map(toTeamsMention);
  const link = card.title.find((span) => span.link !== undefined)?.link;
  const compose = (facts: readonly Fact[]) =>
    wrap(
      card,
      [
        ...noteElements(card),
        titleElement(card),
        ...(people.length === 0
          ? []
          : [{ type: 'TextBlock', text: people.map((one) => one.text).join(' '), wrap: true } as const]),
        ...facts.map(factElement),
        ...(card.advice.length === 0
          ? []
          : [richText([textRun('What to do: ', { weight: 'Bolder' }), ...toRuns(card.advice)])]),
        richText([textRun(card.footer.join(' · '), { isSubtle: true, size: 'Small' })]),
      ],
      { entities: people, link },
    );
  // Facts that do not fit are left out, the last one first.
  for (let count = card.facts.length; count > 0; count -= 1) {
    const message = compose(card.facts.slice(0, count));
    if (teamsSize(message) <= TEAMS_MAX_SIZE) return message;
  }
  return compose([]);
}

function summaryMessage(card: ChatCard): TeamsMessage {
  const head = [...noteElements(card), titleElement(card)];
  const { blocks, rest } = fitGroups<CardElement>(card.groups, card.count, {
    render: (heading, lines) => ({
      type: 'Container',
      items: [
        richText([textRun(heading, { weight: 'Bolder' })]),
        ...lines.map((line) => richText([textRun('• '), ...toRuns(line)], 'None')),
      ],
    }),
    sizeOf: (block) => teamsSize(block) + 1,
    maxSize: TEAMS_MAX_SIZE - teamsSize(wrap(card, [...head, restElement('and 1,000,000 more')])),
  });
  return wrap(card, [...head, ...blocks, ...(rest === undefined ? [] : [restElement(rest)])]);
}

/** One block for each line, because Markdown joins the lines of a paragraph. Lines that do not fit are cut. */
function templateMessage(card: ChatCard, text: string): TeamsMessage {
  const compose = (shown: string) =>
    wrap(card, [
      ...noteElements(card),
      ...shown.split('\n').map((line, index) => ({ ...textBlock(line), ...(index === 0 ? {} : NO_SPACING) })),
    ]);
  return compose(fitText(text, (shown) => teamsSize(compose(shown)) <= TEAMS_MAX_SIZE));
}

const NO_SPACING = { spacing: 'None' } as const;

const textBlock = (text: string) => ({ type: 'TextBlock', text, wrap: true }) as const;
const subtleBlock = (text: string) => ({ ...textBlock(text), isSubtle: true }) as const;
const restElement = subtleBlock;
const noteElements = ({ note }: ChatCard) => (note === undefined ? [] : [subtleBlock(note)]);

const titleElement = ({ title, urgency }: ChatCard): CardElement => ({
  type: 'Container',
  style: STYLES[urgency],
  bleed: true,
  items: [richText(toRuns(title, { size: 'Medium' }))],
});

const factElement = ({ label, value }: Fact): CardElement => ({
  type: 'ColumnSet',
  spacing: 'Small',
  columns: [
    { type: 'Column', width: '110px', items: [richText([textRun(label, { isSubtle: true })])] },
    { type: 'Column', width: 'stretch', items: [richText([textRun(value)])] },
  ],
});

/** The name comes from a record: what could end the tag is removed. */
function toTeamsMention({ name, id }: Mention): TeamsMention {
  const shown = name.replaceAll(/[^\p{L}\p{N} .'’-]/gu, '').slice(0, 80) || 'you';
  return { type: 'mention', text: `<at>${shown}</at>`, mentioned: { id, name: shown } };
}

interface WrapOptions {
  readonly entities?: readonly TeamsMention[];
  /** The record. */
  readonly link?: string;
}

function wrap(card: ChatCard, body: readonly CardElement[], { entities = [], link }: WrapOptions = {}): TeamsMessage {
  const content: AdaptiveCard = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    fallbackText: escapeTeams(card.line),
    body,
    actions: link === undefined ? undefined : [{ type: 'Action.OpenUrl', title: 'Open', url: link }],
    msteams: { width: 'Full', entities: entities.length === 0 ? undefined : entities },
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** Characters of JSON if all others than ASCII are escaped, the most that they can take. */
export function teamsSize(value: object): number {
  const json = JSON.stringify(value);
  return json.length + 5 * (json.match(/[^\0-\x7f]/g)?.length ?? 0);
}

/** The workflow was switched off or deleted, or its URL is not valid any more. */
const REFUSALS =
  /^(?:WorkflowTriggerIsNotEnabled|WorkflowNotFound|DirectApiAuthorizationRequired|\w*SuspendedFlow\w*)$/;

const HINTS: Readonly<Record<string, string>> = {
  WorkflowTriggerIsNotEnabled: 'turn the workflow on',
  WorkflowNotFound: 'the workflow was deleted: create another',
  DirectApiAuthorizationRequired: 'the URL is not complete: copy it again, with its signature',
};

function readWorkflowError(body: string) {
  const word = /^\w{1,80}$/.exec(textAt(body, 'error', 'code') ?? '')?.[0];
  const refusal: Refusal | undefined = word !== undefined && REFUSALS.test(word) ? 'refused' : undefined;
  return { label: 'Microsoft Teams', word, hint: HINTS[word ?? ''], refusal };
}
