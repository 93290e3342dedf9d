/** Events as rows, grouped by day: one row for each change, and for the changes of one record within a minute. */

import type { FC } from 'hono/jsx';
import { groupByChange } from '../../core/messages/change-events.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { type PageContext, zoneOf } from '../page-context.ts';
import { eventPath } from '../paths.ts';
import { ClockTime, formatDayHeading } from './moment.tsx';
import { counted } from './notice.ts';
import { describePlace, Sentence, UrgencyMark } from './sentence.tsx';

interface EventListProps {
  readonly page: PageContext;
  readonly events: readonly TidingsEvent[];
  /** A row for each event. @default - one for the changes of a record within a minute */
  readonly hasEach?: boolean;
}

/** The events of one change, the one that leads first. */
type ChangeRow = readonly [TidingsEvent, ...TidingsEvent[]];

export const EventList: FC<EventListProps> = ({ page, events, hasEach = false }) => {
  const changes: readonly ChangeRow[] = hasEach ? events.map((event) => [event]) : groupByChange(events);
  const dayOf = ([lead]: ChangeRow) => formatDayHeading(lead.time, zoneOf(page, sourceName(lead)), page.now);
  return (
    <>
      {[...Map.groupBy(changes, dayOf)].map(([day, ofDay]) => (
        <section class="day">
          <h2>{day}</h2>
          <ol class="rows">
            {groupByMinute(ofDay, hasEach).map(([first, ...more]) => (
              <li id={first[0].id}>
                <EventRow page={page} change={first} />
                {more.length === 0 ? null : (
                  <details class="more-changes">
                    <summary>{counted(more.length, 'more change')} of it in this minute</summary>
                    <ol class="rows">
                      {more.map((change) => (
                        <li>
                          <EventRow page={page} change={change} />
                        </li>
                      ))}
                    </ol>
                  </details>
                )}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
};

type MinuteGroup = readonly [ChangeRow, ...ChangeRow[]];

/** The changes of one record within a minute, in the order in which they first appear. */
function groupByMinute(changes: readonly ChangeRow[], hasEach: boolean): readonly MinuteGroup[] {
  const minuteOf = ([{ id, source, subject, time, test }]: ChangeRow) =>
    hasEach || test === true ? id : `${source} ${subject} ${time.slice(0, 'yyyy-mm-ddThh:mm'.length)}`;
  return [...Map.groupBy(changes, minuteOf).values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [[first, ...more] as const],
  );
}

const EventRow: FC<{ readonly page: PageContext; readonly change: ChangeRow }> = ({
  page,
  change: [event, ...others],
}) => {
  const place = describePlace(event);
  const source = page.api.config.sources.length > 1 ? `${sourceName(event)} · ` : '';
  return (
    <a class="row" href={eventPath(event.id)}>
      <ClockTime at={event.time} zone={zoneOf(page, sourceName(event))} />
      <UrgencyMark event={event} />
      <span class="what">
        <Sentence event={event} others={others} />
        {place === '' ? null : <bdi class="place">{place}</bdi>}
        {event.test === true ? <span class="tag">test</span> : null}
      </span>
      <code class="type">
        {source}
        {event.type}
        {others.length === 0 ? null : <span title={others.map(({ type }) => type).join(', ')}> +{others.length}</span>}
      </code>
    </a>
  );
};
