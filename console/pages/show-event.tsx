/** One event: what changed, when, who got it and who did not and why, and the envelope. */

import type { Child, FC } from 'hono/jsx';
import { httpLink, linkTo } from '../../core/messages/link.ts';
import { buildNeutralMessage } from '../../core/messages/neutral-message.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { labelOf } from '../../core/resources/field-labels.ts';
import { getEvent, listEvents } from '../../manage/api/events.ts';
import { type IdNames, nameValue } from '../../runtime/inspect/id-names.ts';
import { Layout } from '../layout.tsx';
import { type PageContext, zoneOf } from '../page-context.ts';
import { CodeText } from '../parts/code-text.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Moment, Relative } from '../parts/moment.tsx';
import { OpenInApp } from '../parts/open-in-app.tsx';
import { Receivers } from '../parts/receivers.tsx';
import { describePlace, Sentence, UrgencyMark } from '../parts/sentence.tsx';
import { ShownValue } from '../parts/value.tsx';
import { WindowTimeline } from '../parts/window.tsx';
import { pathTo, recordPath } from '../paths.ts';

export async function showEvent(page: PageContext, { id = '' }: Readonly<Record<string, string>>): Promise<Child> {
  const explained = await getEvent(page.api, page.caller, id);
  const { event, rule, deliveries } = explained;
  const zone = zoneOf(page, sourceName(event));
  const message = buildNeutralMessage(event, { timeZone: zone, link: linkTo(page.api.config.links, event) });
  const accepted = deliveries.flatMap(({ attempts }) => attempts.filter(({ outcome }) => outcome === 'accepted'));
  const sentAt = accepted.map(({ at }) => at).sort()[0];
  const link = httpLink(message.link);
  const place = describePlace(event);
  const notice = page.url.searchParams.get('done');
  return (
    <Layout page={page} title={message.line} section="events" notice={noticeOf(notice)}>
      <p class="crumbs">
        <a href={pathTo('/events')}>Events</a>
      </p>
      <h1 class="sentence-title">
        {message.urgency === 'plain' ? null : <UrgencyMark event={event} />} <Sentence event={event} />
      </h1>
      <ul class="meta">
        {place === '' ? null : (
          <li>
            <bdi>{place}</bdi>
          </li>
        )}
        <li>
          <a href={pathTo('/events', { type: event.type })} title="All events of this type">
            <code>{event.type}</code>
          </a>
        </li>
        <li>
          <a href={recordPath(event.subject, sourceName(event))} data-row>
            {event.subject}
          </a>
        </li>
        <li>
          <Moment at={event.time} zone={zone} /> (<Relative at={event.time} zone={zone} now={page.now} />)
        </li>
        {message.author === undefined ? null : <li>by {message.author}</li>}
        {event.test === true ? (
          <li>
            <span class="tag">test event</span>
          </li>
        ) : null}
        <OpenInApp link={link} />
      </ul>
      <div class="columns">
        <div>
          <section class="card" id="live" data-live>
            <h2>Who got it, who did not, and why</h2>
            <Receivers page={page} explained={explained} zone={zone} />
          </section>
          <Changes event={event} facts={message.facts} names={explained.names} />
        </div>
        <div>
          <section class="card">
            <h2>When it happened</h2>
            <WindowTimeline event={event} zone={zone} sentAt={sentAt} />
          </section>
          {rule === null ? null : (
            <section class="card prose">
              <h2>The rule</h2>
              <p>{rule.meaning}</p>
              <p class="soft">
                <CodeText text={rule.when} />
              </p>
            </section>
          )}
          <Envelope event={event} />
        </div>
      </div>
      <SameChange page={page} events={await sameChange(page, event)} />
    </Layout>
  );
}

/** A fixed sentence for each action: the text of a notice never comes from the URL. */
function noticeOf(done: string | null): string | undefined {
  if (done === 'resent') return 'It is being sent again. The attempt appears below within seconds.';
  return undefined;
}

interface ChangesProps {
  readonly event: TidingsEvent;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly names: IdNames;
}

const Changes: FC<ChangesProps> = ({ event, facts, names }) => {
  const { changes } = event.data;
  return (
    <section class="card">
      <h2>What changed</h2>
      {changes.length === 0 ? (
        <p class="soft">{sayNoChanges(event)}</p>
      ) : (
        <table class="diff">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, from, to }) => (
              <tr>
                <th scope="row" title={field}>
                  {labelOf(field)}
                </th>
                <td class="before">
                  <ShownValue value={nameValue(names, field, from)} />
                </td>
                <td class="after">
                  <ShownValue value={nameValue(names, field, to)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {facts.length === 0 ? null : (
        <>
          <h3>The record then</h3>
          <dl class="facts">
            {facts.map(({ label, value }) => (
              <>
                <dt>{label}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </>
            ))}
          </dl>
        </>
      )}
    </section>
  );
};

function sayNoChanges({ type, data }: TidingsEvent): string {
  if (data.cause === 'tick') return 'No field: the passing of time caused this event.';
  if (type.endsWith('.created')) return 'The record is new.';
  if (type.endsWith('.deleted')) return 'The record was deleted.';
  return 'No field of the record.';
}

const Envelope: FC<{ readonly event: TidingsEvent }> = ({ event }) => {
  const text = JSON.stringify(event, null, 2).toWellFormed();
  const isLong = text.length > MAX_ENVELOPE;
  return (
    <section class="card">
      <div class="head">
        <h2>The envelope</h2>
        {isLong ? null : (
          <button type="button" class="only-script" data-copy="envelope">
            Copy
          </button>
        )}
      </div>
      <details>
        <summary>
          CloudEvents 1.0, <code>{event.id}</code>
        </summary>
        <pre id="envelope" tabindex={0}>
          <code>
            {isLong ? `${text.slice(0, MAX_ENVELOPE)}\n… cut: GET /v1/events/${event.id} returns all of it` : text}
          </code>
        </pre>
      </details>
    </section>
  );
};

/** A page stays below 100 KB, also for a record with long texts. */
const MAX_ENVELOPE = 30_000;

/** The other events of the same change, such as closed and status changed. A test has the version of its model, but is not part of that change. */
async function sameChange(page: PageContext, event: TidingsEvent): Promise<readonly TidingsEvent[]> {
  if (event.test === true) return [];
  const { data } = await listEvents(page.api, page.caller, { subject: event.subject, order: 'newest', limit: 100 });
  return data.filter(
    (other) =>
      other.test !== true &&
      other.id !== event.id &&
      other.source === event.source &&
      other.data.version === event.data.version,
  );
}

const SameChange: FC<{ readonly page: PageContext; readonly events: readonly TidingsEvent[] }> = ({ page, events }) =>
  events.length === 0 ? null : (
    <section>
      <h2>Other events of the same change</h2>
      <EventList page={page} events={events.slice(0, 20)} hasEach />
    </section>
  );
