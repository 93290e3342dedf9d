/**
 * The types of Adaptive Cards 1.4 that Tidings uses, and their builders. External text is put only into text runs, in which
 * Markdown is not parsed.
 */

import type { Span } from '../../../core/messages/chat-card.ts';
import { escapeFunctions } from './escape.ts';

interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly url: string;
  /** @default - the element it belongs to */
  readonly title?: string;
}

export interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly italic?: true;
  readonly isSubtle?: true;
  readonly size?: 'Small' | 'Medium';
  readonly fontType?: 'Monospace';
  readonly selectAction?: OpenUrl;
}

export type CardElement =
  | { readonly type: 'RichTextBlock'; readonly inlines: readonly TextRun[]; readonly spacing?: 'None' | 'Small' }
  | {
      readonly type: 'TextBlock';
      readonly text: string;
      readonly wrap: true;
      readonly isSubtle?: true;
      readonly spacing?: 'None' | 'Small';
    }
  | {
      readonly type: 'Container';
      readonly items: readonly CardElement[];
      readonly style?: 'default' | 'good' | 'warning' | 'attention';
      readonly bleed?: true;
    }
  | { readonly type: 'ColumnSet'; readonly columns: readonly CardColumn[]; readonly spacing?: 'None' | 'Small' };

interface CardColumn {
  readonly type: 'Column';
  readonly width: string;
  readonly items: readonly CardElement[];
}

/** A person in a text as `<at>name</at>`. */
export interface TeamsMention {
  readonly type: 'mention';
  readonly text: string;
  readonly mentioned: { readonly id: string; readonly name: string };
}

export interface AdaptiveCard {
  readonly type: 'AdaptiveCard';
  readonly $schema: string;
  /** Workflows accept a newer version and may show nothing. */
  readonly version: '1.4';
  /** For clients that cannot show cards of this version. */
  readonly fallbackText: string;
  readonly body: readonly CardElement[];
  readonly actions?: readonly OpenUrl[];
  readonly msteams: { readonly width: 'Full'; readonly entities?: readonly TeamsMention[] };
}

export interface TeamsMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: AdaptiveCard;
    },
  ];
}

type RunStyle = Omit<TextRun, 'type' | 'text' | 'selectAction'>;

export function textRun(text: string, style: RunStyle = {}, url?: string): TextRun {
  const selectAction = url === undefined ? undefined : ({ type: 'Action.OpenUrl', url } as const);
  return { type: 'TextRun', text: escapeFunctions(text), ...style, selectAction };
}

const STYLES: Readonly<Record<NonNullable<Span['style']>, RunStyle>> = {
  bold: { weight: 'Bolder' },
  italic: { italic: true },
  code: { fontType: 'Monospace' },
};

export const toRuns = (spans: readonly Span[], style: RunStyle = {}): readonly TextRun[] =>
  spans.map((span) => textRun(span.text, { ...style, ...(span.style && STYLES[span.style]) }, span.link));

export const richText = (inlines: readonly TextRun[], spacing?: 'None' | 'Small'): CardElement => ({
  type: 'RichTextBlock',
  inlines,
  spacing,
});
