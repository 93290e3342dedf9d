/** The events, newest first, as lines that people understand. Filters are in the URL; the first page is live. */

import type { Child, FC } from 'hono/jsx';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { listEvents } from '../../manage/api/events.ts';
import { Layout } from '../layout.tsx';
import { type PageContext, zoneOf } from '../page-context.ts';
import { describePlace, Sentence, UrgencyMark } from '../parts/sentence.tsx';
import { ClockTime, formatDayHeading } from '../parts/time.tsx';
import { eventPath } from '../paths.ts';

const PAGE_SIZE = 50;

export async function showEvents(page: PageContext): Promise<Child> {
  const { data } = await listEvents(page.api, page.caller, { order: 'newest', limit: PAGE_SIZE });
  return (
    <Layout page={page} title="Events" section="events">
      <h1>Events</h1>
      <div id="live" data-live>
        <EventList page={page} events={data} />
      </div>
    </Layout>
  );
}

export const EventList: FC<{ readonly page: PageContext; readonly events: readonly TidingsEvent[] }> = ({
  page,
  events,
}) => {
  const days = Map.groupBy(events, (event) => formatDayHeading(event.time, zoneOf(page, sourceName(event)), page.now));
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section class="day">
          <h2>{day}</h2>
          <ol class="rows">
            {ofDay.map((event) => (
              <EventRow page={page} event={event} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
};

const EventRow: FC<{ readonly page: PageContext; readonly event: TidingsEvent }> = ({ page, event }) => {
  const place = describePlace(event);
  return (
    <li id={event.id}>
      <a class="row" href={eventPath(event.id)}>
        <ClockTime at={event.time} zone={zoneOf(page, sourceName(event))} />
        <UrgencyMark event={event} />
        <span class="what">
          <Sentence event={event} />
          {place === '' ? null : <bdi class="place">{place}</bdi>}
        </span>
        <code class="type">{event.type}</code>
      </a>
    </li>
  );
};
