/** The events, newest first, as lines that people understand. Filters are in the URL; the first page is live. */

import type { Child, FC } from 'hono/jsx';
import { knownTypes } from '../../core/events/custom-events.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { listEvents } from '../../manage/api/events.ts';
import { decodeCursor, encodeCursor } from '../../manage/api/http/read-request.ts';
import {
  type EventFilters,
  FILTER_NAMES,
  type FilterProblem,
  PERIODS,
  readFilters,
  toEventsQuery,
} from '../event-filters.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { pathTo, recordPath } from '../paths.ts';

const PAGE_SIZE = 50;
const ROUTE = { operation: 'listEvents' } as const;

export async function showEvents(page: PageContext): Promise<Child> {
  const parameters = page.url.searchParams;
  const filters = readFilters(parameters);
  const { query, problems } = toEventsQuery(filters, page.zone);
  const after = parameters.get('after');
  const cursor = after === null ? {} : (decodeCursor(ROUTE, { after }) as { readonly after: string });
  const { data, next } = await listEvents(page.api, page.caller, {
    ...query,
    ...cursor,
    order: 'newest',
    limit: PAGE_SIZE,
  });
  const encoded = encodeCursor(ROUTE, { status: 200, body: { next } }).body as { readonly next: string | null };
  const isFiltered = FILTER_NAMES.some((name) => filters[name] !== '');
  const isLive = after === null && filters.to === '';
  const each = parameters.get('each') === '1' ? '1' : undefined;
  const older = encoded.next === null ? undefined : pathTo('/events', { ...filters, each, after: encoded.next });
  return (
    <Layout page={page} title="Events" section="events">
      <div class="head">
        <h1>Events</h1>
        {isLive ? (
          <span class="live only-script" title="New events appear within seconds">
            live
          </span>
        ) : null}
      </div>
      <FilterForm page={page} filters={filters} problems={problems} />
      <RecordHint text={filters.q === '' ? filters.subject : filters.q} />
      {data.length === 0 ? null : (
        <p class="soft">
          {each === undefined ? 'One row for the changes of a record in a minute. ' : 'One row for each event. '}
          <a
            href={pathTo('/events', {
              ...filters,
              each: each === undefined ? '1' : undefined,
              after: after ?? undefined,
            })}
          >
            {each === undefined ? 'Show each event' : 'Show one row for each change'}
          </a>
        </p>
      )}
      <div id="live" data-live={isLive ? '' : undefined}>
        {data.length === 0 ? (
          <NoEvents isFiltered={isFiltered} isFirst={after === null} older={older} />
        ) : (
          <EventList page={page} events={data} hasEach={each !== undefined} />
        )}
      </div>
      <nav class="pager" aria-label="Pages">
        {after === null ? null : <a href={pathTo('/events', { ...filters, each })}>Newest</a>}
        {older === undefined || data.length === 0 ? null : (
          <a href={older} rel="next">
            Older events
          </a>
        )}
      </nav>
    </Layout>
  );
}

/** A search for a record leads to its page, which also explains changes without an event. */
const RecordHint: FC<{ readonly text: string }> = ({ text }) => {
  const [, resource = ''] = /^([a-z]+)\/\d+$/.exec(text) ?? [];
  if (resourceOf(resource) === undefined) return null;
  return (
    <p>
      <a class="button" href={recordPath(text)}>
        Open the record {text}
      </a>
    </p>
  );
};

interface FilterFormProps {
  readonly page: PageContext;
  readonly filters: EventFilters;
  readonly problems: readonly FilterProblem[];
}

const FilterForm: FC<FilterFormProps> = ({ page, filters, problems }) => {
  const sources = page.api.config.sources.map(({ name }) => name);
  const hasMore = filters.subject !== '' || filters.from !== '' || filters.to !== '';
  return (
    <form class="event-filters" method="get" action={pathTo('/events')} aria-label="Filters">
      <div class="filter-fields">
        <label>
          <span>Text</span>
          <input type="search" name="q" value={filters.q} placeholder="words, a name or an id" data-search />
        </label>
        <label>
          <span>Type</span>
          <input
            name="type"
            value={filters.type}
            list="types"
            placeholder="task.*"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        {sources.length < 2 ? null : (
          <label>
            <span>Source</span>
            <select name="source" data-send="">
              <option value="">all</option>
              {sources.map((name) => (
                <option value={name} selected={name === filters.source}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>Time</span>
          <select name="since" data-send="">
            {periodsWith(filters.since).map(([since, words]) => (
              <option value={since} selected={since === filters.since}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Filter</button>
      </div>
      <details open={hasMore}>
        <summary>More filters</summary>
        <div class="filter-fields">
          <label>
            <span>Record</span>
            <input name="subject" value={filters.subject} placeholder="task/123" spellcheck={false} />
          </label>
          <label>
            <span>From</span>
            <input type="datetime-local" name="from" value={filters.from} />
          </label>
          <label>
            <span>To</span>
            <input type="datetime-local" name="to" value={filters.to} />
          </label>
        </div>
      </details>
      <datalist id="types">
        {knownTypes(page.api.config).map(({ type }) => (
          <option value={type} />
        ))}
      </datalist>
      {problems.map(({ message }) => (
        <p class="problem" role="alert">
          <Icon name="late" /> {message}
        </p>
      ))}
      <ActiveFilters filters={filters} />
    </form>
  );
};

/** A period from a link that is not in the list is added to it. */
function periodsWith(since: string): typeof PERIODS {
  return PERIODS.some(([known]) => known === since) ? PERIODS : [...PERIODS, [since, `since ${since}`]];
}

const LABELS: Readonly<Record<keyof EventFilters, string>> = {
  q: 'text',
  type: 'type',
  subject: 'record',
  source: 'source',
  since: 'time',
  from: 'from',
  to: 'to',
};

/** Each filter as a link that removes it. */
const ActiveFilters: FC<{ readonly filters: EventFilters }> = ({ filters }) => {
  const active = FILTER_NAMES.filter((name) => filters[name] !== '');
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {active.map((name) => (
        <li>
          <a class="chip" href={pathTo('/events', { ...filters, [name]: undefined })} title={`Remove this filter`}>
            {LABELS[name]}: <bdi>{filters[name]}</bdi> <Icon name="bad" />
            <span class="unseen">, remove</span>
          </a>
        </li>
      ))}
      {active.length < 2 ? null : (
        <li>
          <a href={pathTo('/events')}>Remove all</a>
        </li>
      )}
    </ul>
  );
};

interface NoEventsProps {
  readonly isFiltered: boolean;
  readonly isFirst: boolean;
  /** The page that continues the search. @default - everything was searched */
  readonly older?: string;
}

const NoEvents: FC<NoEventsProps> = ({ isFiltered, isFirst, older }) => {
  if (older !== undefined) {
    return (
      <Empty title="Nothing found so far">
        <p>None of the events searched so far matches these filters.</p>
        <p>
          <a class="button" href={older}>
            Search older events
          </a>
        </p>
      </Empty>
    );
  }
  if (isFiltered || !isFirst) {
    return (
      <Empty title="No such events">
        <p>
          No recorded event matches these filters. A change without an event? Open its record, such as task/123, in the
          search.
        </p>
        <p>
          <a class="button" href={pathTo('/events')}>
            Show all events
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No events yet">
      <p>
        The first scan of an account records what is there and causes no events. Change something in the account: its
        event appears here after the next scan.
      </p>
      <p>
        <a class="button" href={pathTo('')}>
          See when the next scan is
        </a>
      </p>
    </Empty>
  );
};
