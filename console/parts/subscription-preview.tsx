/** What a subscription would bring: the number of events of the last 7 days, the latest of them, and a message. */

import type { FC } from 'hono/jsx';
import type { Subscription } from '../../core/model/subscription.ts';
import type { FormResult } from '../form-result.ts';
import { givenName } from '../form-result.ts';
import type { FormText } from '../form-text.ts';
import type { PageContext } from '../page-context.ts';
import { MessagePreviewCard } from './message-preview.tsx';
import { Relative } from './moment.tsx';
import { counted } from './notice.ts';
import { Sentence } from './sentence.tsx';

interface SubscriptionPreviewProps {
  readonly page: PageContext;
  readonly form: FormText;
  readonly result: FormResult;
  readonly known?: Subscription;
}

/** Samples that the page lists. */
const MAX_LISTED = 5;

/** The script replaces its content while a person types. */
export const SubscriptionPreview: FC<SubscriptionPreviewProps> = ({ page, form, result, known }) => {
  const { count, preview, words } = result;
  return (
    <aside id="preview" class="result" aria-label="What it brings" aria-live="polite">
      {words === undefined ? null : (
        <section class="card">
          <h2>In words</h2>
          <p class="lead">
            <bdi>{words.sentence}</bdi>
          </p>
          {words.query === undefined ? null : (
            <p>
              <span class="soft">As a query: </span>
              <code class="query">{words.query}</code>
            </p>
          )}
        </section>
      )}
      {count === undefined ? (
        <section class="card">
          <h2>What it would have brought</h2>
          <p class="soft">Choose what happened: then this shows how often it did, and the message.</p>
        </section>
      ) : (
        <section class="card">
          <h2>In the last 7 days</h2>
          <p class="lead">
            <b>{counted(count.matched, 'event')}</b>
            {count.recorded === null ? null : ` of ${count.recorded.toLocaleString('en-GB')}`}
          </p>
          {count.matched === 0 ? (
            <p class="soft">Nothing matched. Fewer conditions bring more.</p>
          ) : (
            <ul class="samples">
              {count.samples.slice(0, MAX_LISTED).map(({ event }) => (
                <li>
                  <Sentence event={event} /> <Relative at={event.time} zone={page.zone} now={page.now} />
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      {preview === undefined ? null : (
        <section class="card">
          <h2>The message</h2>
          <p class="soft">
            {preview.isExample
              ? `With an example of ${preview.event.type}: no recorded event matches.`
              : `With the latest event that matches, ${preview.event.type}.`}
          </p>
          <MessagePreviewCard preview={preview} mailQuery={mailQueryOf(form, preview, known)} />
        </section>
      )}
    </aside>
  );
};

/** Longer addresses are refused by some servers. */
const MAX_ADDRESS = 6000;

/** The parameters that render the same mail; undefined if the template is too long for an address. */
function mailQueryOf(
  form: FormText,
  { event, isExample }: NonNullable<FormResult['preview']>,
  known: Subscription | undefined,
): Readonly<Record<string, string | undefined>> | undefined {
  const template = [...form].filter(([name, text]) => name.startsWith('template.') && text.trim() !== '');
  const length = template.reduce((sum, [, text]) => sum + encodeURIComponent(text).length, 0);
  if (length > MAX_ADDRESS) return undefined;
  return {
    name: known?.name ?? givenName(form),
    ...(isExample ? { type: event.type } : { event: event.id }),
    timeZone: form.get('timeZone'),
    ...Object.fromEntries(template),
  };
}
