/** Events as rows, grouped by day. */

import type { FC } from 'hono/jsx';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { type PageContext, zoneOf } from '../page-context.ts';
import { eventPath } from '../paths.ts';
import { describePlace, Sentence, UrgencyMark } from './sentence.tsx';
import { ClockTime, formatDayHeading } from './time.tsx';

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
  const source = page.api.config.sources.length > 1 ? `${sourceName(event)} · ` : '';
  return (
    <li id={event.id}>
      <a class="row" href={eventPath(event.id)}>
        <ClockTime at={event.time} zone={zoneOf(page, sourceName(event))} />
        <UrgencyMark event={event} />
        <span class="what">
          <Sentence event={event} />
          {place === '' ? null : <bdi class="place">{place}</bdi>}
          {event.test === true ? <span class="tag">test</span> : null}
        </span>
        <code class="type">
          {source}
          {event.type}
        </code>
      </a>
    </li>
  );
};
