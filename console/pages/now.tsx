/** The first page: what needs attention, what happens now, and what comes next. */

import type { Child, FC } from 'hono/jsx';
import { clip } from '../../core/messages/clip.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import { listAllDeliveries } from '../../manage/api/deliveries.ts';
import { countEvents, listEvents } from '../../manage/api/events.ts';
import { forecastEvents } from '../../manage/api/forecast.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { listSources, scanSource } from '../../manage/api/sources.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { sampleSubscriptions } from '../../manage/api/subscriptions/subscriptions.ts';
import { Layout } from '../layout.tsx';
import { type PageContext, zoneOf } from '../page-context.ts';
import { EventList } from '../parts/event-list.tsx';
import { HoursChart } from '../parts/hours-chart.tsx';
import { MessagesAhead } from '../parts/messages-ahead.tsx';
import { Relative, ShortMoment } from '../parts/moment.tsx';
import { AtAGlance, FirstSteps } from '../parts/quiet-now.tsx';
import { SourceCard } from '../parts/source-card.tsx';
import { Status } from '../parts/status.tsx';
import { readWaiting, type WaitingDeliveries, WaitingLine } from '../parts/waiting-line.tsx';
import { pathTo, recordPath, sourcePath } from '../paths.ts';
import { isSourceOk, sourceState } from '../source-state.ts';

const HOURS = 24;
const FORECAST_ROWS = 5;
const NEWEST_ROWS = 5;
/** Of each owner in turns: those of a key do not hide failing receivers of others. */
const MAX_SUBSCRIPTIONS = 200;
const MAX_BAD_RECEIVERS = 20;
/** Each has a table. The page of sources lists more of them. */
const MAX_SOURCE_CARDS = 5;
const MAX_BAD_SOURCES = 10;

/** By store, until when no forecast is made after one that took too long: the page loads itself again and again. */
const forecastRests = new WeakMap<object, Instant>();
const FORECAST_REST = 10 * MINUTE;

const TOO_LONG =
  'It takes too long to compute now: very many records fall due, or the filters of subscriptions are costly.';
const TOO_MANY =
  'Not computed now: the requests of this session take up the time that it has. Reload the page in a moment.';

/** The reason if there is none: the filters of a single key can make it too long, and people need the rest of the page. */
async function forecastIfPossible({ api, caller }: PageContext) {
  const now = api.clock.now();
  if (now < (forecastRests.get(api.events) ?? '')) return TOO_LONG;
  try {
    return await forecastEvents(api, caller, { limit: FORECAST_ROWS });
  } catch (error) {
    // 429 is about what else this session asks for: it takes the forecast from nobody else.
    if (error instanceof Problem && error.status === 429) return TOO_MANY;
    if (!(error instanceof Problem && error.code === 'TIDINGS_API_BUDGET')) throw error;
    forecastRests.set(api.events, plus(now, FORECAST_REST));
    return TOO_LONG;
  }
}

export async function showNow(page: PageContext): Promise<Child> {
  const { api, caller } = page;
  const [sources, subscriptions, waiting, counts, forecast, newest, failed] = await Promise.all([
    listSources(api, caller),
    sampleSubscriptions(api, caller, MAX_SUBSCRIPTIONS),
    readWaiting(page),
    countEvents(api, caller, HOURS),
    forecastIfPossible(page),
    listEvents(api, caller, { order: 'newest', limit: NEWEST_ROWS }),
    listAllDeliveries(api, caller, { status: 'failed', limit: 1 }),
  ]);
  const isScanned = page.url.searchParams.get('done') === 'scan';
  const notice = isScanned
    ? 'Tidings scans the account in its next cycle: within seconds, in AWS within a minute.'
    : undefined;
  return (
    <Layout page={page} title="Now" section="now" notice={notice}>
      <h1>Now</h1>
      <div id="live" data-live>
        <Attention
          page={page}
          sources={sources.data}
          subscriptions={subscriptions.data}
          count={subscriptions.count}
          waiting={waiting}
        />
        {subscriptions.data.length === 0 ? (
          <FirstSteps page={page} sources={sources.data} />
        ) : (
          <AtAGlance
            page={page}
            sources={sources.data}
            subscriptions={subscriptions.data}
            messages={typeof forecast === 'string' ? undefined : forecast.messages}
            failed={failed.data[0]}
          />
        )}
        <div class="columns even">
          <section class="card">
            <h2>Events per hour</h2>
            <HoursChart hours={counts.data} isTruncated={counts.truncated} zone={page.zone} />
          </section>
          <section class="card">
            <h2>The next 24 hours, if nothing changes</h2>
            {typeof forecast === 'string' ? (
              <p class="soft">{forecast}</p>
            ) : (
              <Forecast page={page} forecast={forecast} />
            )}
          </section>
        </div>
        {newest.data.length === 0 ? null : (
          <section>
            <div class="head">
              <h2>Newest events</h2>
              <a href={pathTo('/events')}>All events</a>
            </div>
            <EventList page={page} events={newest.data} />
          </section>
        )}
        {sources.data.length > MAX_SOURCE_CARDS ? (
          <ManySources sources={sources.data} />
        ) : (
          sources.data.map((status) => <SourceCard page={page} status={status} />)
        )}
      </div>
    </Layout>
  );
}

interface AttentionProps {
  readonly page: PageContext;
  readonly sources: Awaited<ReturnType<typeof listSources>>['data'];
  readonly subscriptions: readonly SubscriptionView[];
  /** Of all subscriptions: not all are looked at. */
  readonly count: number;
  readonly waiting: WaitingDeliveries;
}

/** Failing sources and receivers with their reasons, and what waits. One quiet line if there is nothing. */
const Attention: FC<AttentionProps> = ({ page, sources, subscriptions, count, waiting }) => {
  const badSources = sources.filter((status) => !isSourceOk(status));
  const badReceivers = subscriptions.filter(({ state }) => state !== 'ok');
  const isQuiet = badSources.length === 0 && badReceivers.length === 0;
  const retrying = waiting.data.reduce((sum, one) => sum + one.retrying, 0);
  return (
    <section class={isQuiet ? 'card calm' : 'card attention'}>
      {isQuiet ? (
        <p>
          {sources.some(({ state }) => state !== 'new') ? (
            retrying > 0 ? (
              <Status tone="soon" icon="late" word="Some deliveries are being tried again." />
            ) : (
              <Status tone="good" icon="ok" word="All is well." />
            )
          ) : (
            <Status tone="plain" icon="wait" word="The first scan of the account comes next." />
          )}{' '}
          {sayCounts(sources.length, count)}
        </p>
      ) : (
        <>
          <h2>Needs attention</h2>
          <ul class="problems">
            {badSources.slice(0, MAX_BAD_SOURCES).map((status) => (
              <li>
                <Status {...sourceState(status)} />{' '}
                <a href={sourcePath(status.source)} data-row>
                  <b>
                    <bdi>{status.source}</bdi>
                  </b>
                </a>
                {status.reason === null ? null : <span class="soft">{clip(status.reason, 400)}</span>}
              </li>
            ))}
            {badSources.length <= MAX_BAD_SOURCES ? null : (
              <li>
                <a href={pathTo('/sources', { state: 'attention' })}>
                  {plural(badSources.length - MAX_BAD_SOURCES, 'more source')} that need attention
                </a>
              </li>
            )}
            {badReceivers.slice(0, MAX_BAD_RECEIVERS).map(({ name, state, reason, pausedUntil }) => (
              <li>
                <Status {...RECEIVER_STATES[state]} />{' '}
                <a href={pathTo(`/subscriptions/${encodeURIComponent(name)}`)} data-row>
                  <b>
                    <bdi>{name}</bdi>
                  </b>
                </a>
                <span class="soft">
                  {state === 'paused' ? 'A person paused it: messages are held until it is resumed. ' : ''}
                  {reason === null ? '' : clip(reason, 400)}
                  {pausedUntil === null ? null : (
                    <>
                      {reason === null ? 'next attempt ' : '; next attempt '}
                      <Relative at={pausedUntil} zone={page.zone} now={page.now} />
                    </>
                  )}
                </span>
              </li>
            ))}
            {badReceivers.length <= MAX_BAD_RECEIVERS ? null : (
              <li>
                <a href={pathTo('/subscriptions')}>
                  {plural(badReceivers.length - MAX_BAD_RECEIVERS, 'more subscription')} that need attention
                </a>
              </li>
            )}
          </ul>
        </>
      )}
      <p class="soft">
        <WaitingLine page={page} waiting={waiting} />
      </p>
    </section>
  );
};

const ManySources: FC<{ readonly sources: AttentionProps['sources'] }> = ({ sources }) => (
  <section class="card">
    <div class="head">
      <h2>{plural(sources.length, 'source')}</h2>
      <a href={pathTo('/sources')}>All sources</a>
    </div>
    <p>{sayStates(sources)}</p>
  </section>
);

/** `97 polled, 2 first scan soon, 1 unreachable` */
function sayStates(sources: AttentionProps['sources']): string {
  const byWord = Map.groupBy(sources, (status) => sourceState(status).word);
  return [...byWord]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([word, ofWord]) => `${ofWord.length.toLocaleString('en')} ${word}`)
    .join(', ');
}

const RECEIVER_STATES = {
  ok: { tone: 'good', icon: 'ok', word: 'working' },
  failing: { tone: 'late', icon: 'late', word: 'failing' },
  paused: { tone: 'soon', icon: 'held', word: 'paused' },
  disabled: { tone: 'late', icon: 'bad', word: 'disabled' },
} as const;

const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const sayCounts = (sources: number, subscriptions: number) =>
  `${plural(sources, 'source')}, ${plural(subscriptions, 'subscription')}.`;

const Forecast: FC<{
  readonly page: PageContext;
  readonly forecast: Awaited<ReturnType<typeof forecastEvents>>;
}> = ({ page, forecast: { data, count, messages } }) => {
  const unsent = data.filter(({ subscriptions }) => subscriptions.length === 0);
  if (count === 0 && messages.length === 0)
    return <p class="soft">No message waits, no digest comes, and nothing falls due, ends or is reminded of.</p>;
  return (
    <>
      {messages.length === 0 ? <p class="soft">No message.</p> : <MessagesAhead messages={messages} />}
      {unsent.length === 0 ? null : (
        <>
          <h3>Events that go to nobody</h3>
          <ol class="ahead">
            {unsent.map(({ at, line, type, source, subject }) => (
              <li>
                <ShortMoment at={at} zone={zoneOf(page, source)} />
                <a href={recordPath(subject, source)} data-row>
                  <bdi>{clip(line, 160)}</bdi>
                </a>
                <span class="soft">
                  <code>{type}</code>
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
};

/** The form of a source: scan the account now. */
export async function requestScan(page: PageContext, { name = '' }: Readonly<Record<string, string>>): Promise<string> {
  await scanSource(page.api, page.caller, name);
  return pathTo('', { done: 'scan' });
}
