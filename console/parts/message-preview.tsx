/** A message as its readers see it: a card for chats, the mail itself in a frame, JSON for machines. */

import type { Child, FC } from 'hono/jsx';
import { type ChatCard, type Span, URGENCY_COLOURS } from '../../core/messages/chat-card.ts';
import type { MessagePreview } from '../../manage/api/preview-message.ts';
import { pathTo } from '../paths.ts';

interface MessagePreviewProps {
  readonly preview: MessagePreview;
  /** Query parameters with which the page of the mail renders the same message. @default - only its text is shown */
  readonly mailQuery?: Readonly<Record<string, string | undefined>>;
}

export const MessagePreviewCard: FC<MessagePreviewProps> = ({ preview, mailQuery }) => {
  const { rendered } = preview;
  return (
    <div class="preview">
      {rendered.problem === null ? null : (
        <p class="callout" role="status">
          A part of the template was not used: {rendered.problem}
        </p>
      )}
      {content(preview, mailQuery)}
      <details open={preview.card === null}>
        <summary>What is sent, as JSON</summary>
        <pre tabindex={0}>{JSON.stringify(payloadOf(preview), undefined, 2)}</pre>
      </details>
    </div>
  );
};

function content(preview: MessagePreview, mailQuery: MessagePreviewProps['mailQuery']): Child {
  const { channel, card, rendered, label } = preview;
  if (channel === 'email') return <Mail preview={preview} mailQuery={mailQuery} />;
  if (card === null) return <p class="soft">{label} gets the JSON below: programs read it.</p>;
  const text = rendered.byTemplate.includes('text') ? rendered.text : undefined;
  return (
    <div class="chat-message">
      <p class="sender">
        <b>Tidings</b> <span class="tag">{label}</span>
      </p>
      {typeof text === 'string' ? <p class="as-written">{text}</p> : <Card card={card} />}
    </div>
  );
}

const Mail: FC<MessagePreviewProps> = ({ preview: { rendered }, mailQuery }) => {
  const { subject, text, html } = rendered;
  return (
    <div class="mail-message">
      <p class="sender">
        <span class="soft">Subject</span> <b>{String(subject ?? '')}</b>
      </p>
      {typeof html === 'string' && mailQuery !== undefined ? (
        <iframe
          title="The mail"
          sandbox=""
          loading="lazy"
          referrerpolicy="no-referrer"
          src={pathTo('/preview/mail', mailQuery)}
        />
      ) : (
        <pre tabindex={0}>{String(text ?? '')}</pre>
      )}
    </div>
  );
};

/** The neutral message: each chat shows the same parts in its own style. */
const Card: FC<{ readonly card: ChatCard }> = ({ card }) => (
  <div class="chat-card">
    <svg class="edge" viewBox="0 0 4 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width="4" height="10" fill={URGENCY_COLOURS[card.urgency]} />
    </svg>
    {card.note === undefined ? null : <p class="soft">{card.note}</p>}
    <p class="chat-title">
      <Spans spans={card.title} />
    </p>
    {card.facts.length === 0 ? null : (
      <dl class="chat-facts">
        {card.facts.map(({ label, value }) => (
          <div>
            <dt>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    )}
    {card.groups.map((group) => (
      <>
        <h3>
          <bdi>{group.title}</bdi> <span class="soft">{group.count}</span>
        </h3>
        <ul>
          {group.lines.map((line) => (
            <li>
              <Spans spans={line} />
            </li>
          ))}
        </ul>
      </>
    ))}
    {card.advice.length === 0 ? null : (
      <p>
        <Spans spans={card.advice} />
      </p>
    )}
    {card.footer.length === 0 ? null : <p class="soft chat-footer">{card.footer.join(' · ')}</p>}
  </div>
);

/** Links are underlined but lead nowhere: this is a picture of the message. */
const Spans: FC<{ readonly spans: readonly Span[] }> = ({ spans }) => (
  <>
    {spans.map(({ text, style, link }) => {
      const shown = link === undefined ? <bdi>{text}</bdi> : <u>{text}</u>;
      if (style === 'bold') return <b>{shown}</b>;
      if (style === 'italic') return <i>{shown}</i>;
      return style === 'code' ? <code>{text}</code> : shown;
    })}
  </>
);

/** Without what describes the rendering itself. */
function payloadOf({ rendered }: MessagePreview): unknown {
  const { channel: _, type: __, event: ___, byTemplate: ____, problem: _____, ...parts } = rendered;
  const names = Object.keys(parts);
  return names.length === 1 ? parts[names[0] ?? ''] : parts;
}
