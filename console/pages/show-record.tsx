/** One record: what is known of it, what time will bring, and its history, also the changes that caused no event. */

import type { Child, FC } from 'hono/jsx';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { nameOf } from '../../core/events/life-events.ts';
import { groupByChange } from '../../core/messages/change-events.ts';
import { clip } from '../../core/messages/clip.ts';
import { httpLink, linkTo } from '../../core/messages/link.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import { labelOf } from '../../core/resources/field-labels.ts';
import { getRecord } from '../../manage/api/records.ts';
import { nameValue } from '../../runtime/inspect/id-names.ts';
import { Layout } from '../layout.tsx';
import { type PageContext, zoneOf } from '../page-context.ts';
import { Icon } from '../parts/icon.tsx';
import { Moment, Relative, ShortMoment } from '../parts/moment.tsx';
import { OpenInApp } from '../parts/open-in-app.tsx';
import { Sentence, UrgencyMark } from '../parts/sentence.tsx';
import { ShownValue } from '../parts/value.tsx';
import { eventPath, pathTo, recordPath } from '../paths.ts';

type RecordView = Awaited<ReturnType<typeof getRecord>>['data'][number];

export async function showRecord(
  page: PageContext,
  { resource = '', id = '' }: Readonly<Record<string, string>>,
): Promise<Child> {
  const source = page.url.searchParams.get('source') ?? undefined;
  const { data } = await getRecord(page.api, page.caller, resource, id, { source });
  const [first] = data;
  const title = first === undefined ? `${resource}/${id}` : titleOf(first);
  return (
    <Layout page={page} title={title} section="events">
      {data.map((view) => (
        <OneRecord page={page} view={view} hasOthers={data.length > 1} />
      ))}
    </Layout>
  );
}

const MAX_TITLE_LENGTH = 200;

const titleOf = ({ resource, record }: RecordView) => clip(nameOf(resource, record), MAX_TITLE_LENGTH) || resource;

const OneRecord: FC<{ readonly page: PageContext; readonly view: RecordView; readonly hasOthers: boolean }> = ({
  page,
  view,
  hasOthers,
}) => {
  const zone = zoneOf(page, view.source);
  const subject = `${view.resource}/${view.id}`;
  const link = httpLink(
    linkTo(page.api.config.links, {
      source: view.source,
      subject,
      data: { record: view.record } as TidingsEvent['data'],
    }),
  );
  const facts = factsOf(view);
  return (
    <article>
      <p class="crumbs">
        <a href={pathTo('/events')}>Events</a>
      </p>
      <h1>
        <bdi>{titleOf(view)}</bdi>
      </h1>
      <ul class="meta">
        <li>
          <a href={recordPath(subject, view.source)}>{subject}</a>
          {hasOthers || page.api.config.sources.length > 1 ? ` of ${view.source}` : ''}
        </li>
        <li>version {view.version}</li>
        <li>
          last change <Relative at={view.committedAt} zone={zone} now={page.now} />
        </li>
        <OpenInApp link={link} />
      </ul>
      <div class="columns">
        <section class="card" id="live" data-live>
          <h2>History</h2>
          <History view={view} zone={zone} />
          <p class="soft">
            <a href={pathTo('/events', { subject })}>All events of {subject}</a>
          </p>
        </section>
        <div>
          <section class="card">
            <h2>Today</h2>
            {view.deletedAt !== null ? (
              <p>
                Deleted: found missing <Moment at={view.deletedAt} zone={zone} />.
              </p>
            ) : facts.length === 0 ? (
              <p class="soft">No deadline or reminder applies today.</p>
            ) : (
              <ul class="chips">
                {facts.map((fact) => (
                  <li>
                    <span class="tag">{fact}</span>
                  </li>
                ))}
              </ul>
            )}
            <h3>Next, if nothing changes</h3>
            {view.ahead.length === 0 ? (
              <p class="soft">Time alone will not change it.</p>
            ) : (
              <dl class="facts">
                {view.ahead.map(({ at, events }) => (
                  <>
                    <dt>
                      <ShortMoment at={at} zone={zone} />
                    </dt>
                    <dd>
                      {events.length === 0 ? 'no event' : events.map((type) => <AheadEvent page={page} type={type} />)}
                    </dd>
                  </>
                ))}
              </dl>
            )}
            <h3>Scans of the account</h3>
            <Reading view={view} zone={zone} page={page} />
          </section>
          <section class="card">
            <h2>As last seen</h2>
            <Snapshot record={view.record} />
          </section>
        </div>
      </div>
    </article>
  );
};

/** `overdue`, `reminder 7` */
function factsOf({ stage }: RecordView): readonly string[] {
  return Object.entries(stage).flatMap(([fact, value]) => {
    const words = fact.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (value === true) return [words];
    return typeof value === 'number' && value !== 0 ? [`${words} ${value}`] : [];
  });
}

const Reading: FC<{ readonly view: RecordView; readonly zone: string; readonly page: PageContext }> = ({
  view: { reading, resource },
  zone,
  page,
}) => {
  if (reading.state === 'off') return <p>{resource} is off in the config: it is not scanned.</p>;
  if (reading.state === 'forbidden') return <p>The token may not read {resource}.</p>;
  if (reading.state === 'ours') return <p>Tidings keeps this record itself.</p>;
  if (reading.state === 'unknown') return <p>Its source is no longer in the config.</p>;
  return (
    <p>
      Next scan{' '}
      {reading.nextAt === null || reading.nextAt <= page.now ? (
        'now'
      ) : (
        <Relative at={reading.nextAt} zone={zone} now={page.now} />
      )}
      .
    </p>
  );
};

const CAUSES: Readonly<Record<string, string>> = {
  baseline: 'by a scan without events',
  poll: 'found by a scan',
  tick: 'by the passing of time',
  delivery: 'by an attempt',
  person: 'by a person',
};

/** Versions shown: a record that changes every minute has thousands. */
const MAX_VERSIONS = 50;

/** Newest first. */
const History: FC<{ readonly view: RecordView; readonly zone: string }> = ({ view, zone }) => {
  const events = new Map(view.events.map((event) => [event.id, event]));
  const versions = view.history.toReversed().slice(0, MAX_VERSIONS);
  return (
    <ol class="history">
      {versions.map(({ version, at, cause, life, changes, stage, events: ids, silence }) => {
        const own = ids.flatMap((id) => events.get(id) ?? []);
        return (
          <li>
            <p class="when">
              <Moment at={at} zone={zone} />{' '}
              <span class="soft">
                version {version}, {life === null ? '' : `${life}, `}
                {CAUSES[cause] ?? cause}
              </span>
            </p>
            {groupByChange(own).map(([lead, ...others]) => (
              <p class="happened">
                <UrgencyMark event={lead} />{' '}
                <a href={eventPath(lead.id)} data-row>
                  <Sentence event={lead} others={others} />
                </a>{' '}
                <code class="soft">{lead.type}</code>
                {others.map((event) => (
                  <>
                    {' '}
                    <a class="soft" href={eventPath(event.id)}>
                      <code>{event.type}</code>
                    </a>
                  </>
                ))}
              </p>
            ))}
            {silence === null ? null : (
              <p class="happened soft">
                <Icon name="none" /> no event: {silence}
              </p>
            )}
            {changes.length + stage.length === 0 ? null : (
              <details>
                <summary>
                  {[...changes, ...stage]
                    .map(({ field }) => labelOf(field).toLowerCase())
                    .slice(0, 6)
                    .join(', ')}
                </summary>
                <dl class="facts">
                  {[...changes, ...stage].map(({ field, from, to }) => (
                    <>
                      <dt>{labelOf(field)}</dt>
                      <dd>
                        <ShownValue value={nameValue(view.names, field, from)} /> →{' '}
                        <ShownValue value={nameValue(view.names, field, to)} />
                      </dd>
                    </>
                  ))}
                </dl>
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
};

const Snapshot: FC<{ readonly record: Fields }> = ({ record }) => {
  const fields = Object.entries(record).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return (
    <dl class="facts">
      {fields.map(([field, value]) => (
        <>
          <dt>
            <code>{field}</code>
          </dt>
          <dd>
            <ShownValue value={value} />
          </dd>
        </>
      ))}
    </dl>
  );
};

/** `A task is overdue`, and its type. */
const AheadEvent: FC<{ readonly page: PageContext; readonly type: string }> = ({ page, type }) => {
  const custom = page.api.config.customEvents.find((one) => one.type === type);
  return (
    <div>
      {(eventTypeOf(type) ?? custom)?.meaning.replace(/\.$/, '')} <code class="soft">{type}</code>
    </div>
  );
};
