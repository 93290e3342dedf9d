/** Deliveries, failed ones first: filters are in the address, and selected or all of them can be tried again. */

import type { Child, FC } from 'hono/jsx';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../core/model/delivery.ts';
import { listAllDeliveries, listDeliveries } from '../../manage/api/deliveries.ts';
import { listSubscriptions } from '../../manage/api/subscriptions/subscriptions.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { DeliveryList, findFirstEvents, isRetriable } from '../parts/delivery-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { noticeOf } from '../parts/notice.ts';
import { Paging, readCursor } from '../parts/paging.tsx';
import { pathTo } from '../paths.ts';

const PAGE_SIZE = 50;
/** How many failed ones the first page shows before the latest of all. */
const FAILED_FIRST = 20;

const MAX_LISTED_SUBSCRIPTIONS = 1000;

const STATUS_WORDS: Readonly<Record<DeliveryStatus, string>> = {
  failed: 'Failed',
  pending: 'On their way, or trying again',
  held: 'Held by a pause',
  waiting: 'Waiting for a time',
  settled: 'Delivered or skipped',
  gathered: 'In another message',
};

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
}

export function readDeliveryFilter(parameters: Pick<URLSearchParams, 'get'>): DeliveryFilter {
  const status = DELIVERY_STATUSES.find((one) => one === parameters.get('status'));
  const subscription = parameters.get('subscription') ?? '';
  return { status, ...(subscription === '' ? {} : { subscription }) };
}

export async function showDeliveries(page: PageContext): Promise<Child> {
  const filter = readDeliveryFilter(page.url.searchParams);
  const after = readCursor(page.url);
  const isFirst = filter.status === undefined && after === undefined;
  const failed = isFirst ? (await readPage(page, { ...filter, status: 'failed' }, FAILED_FIRST)).data : [];
  const { data, next } = await readPage(page, filter, PAGE_SIZE, after);
  const others = isFirst ? data.filter(({ status }) => status !== 'failed') : data;
  const events = await findFirstEvents(page, [...failed, ...others]);
  const canRetry = !page.session.isReadOnly && [...failed, ...others].some(isRetriable);
  const selectFor = canRetry ? 'retry' : undefined;
  const isEmpty = failed.length + others.length === 0;
  return (
    <Layout page={page} title="Deliveries" section="deliveries" notice={noticeOf(page.url)}>
      <h1>Deliveries</h1>
      <Filters page={page} filter={filter} names={await listSubscriptionNames(page)} />
      {canRetry ? <RetryBar page={page} filter={filter} /> : null}
      {failed.length === 0 ? null : (
        <section class="day">
          <h2>Failed</h2>
          <DeliveryList page={page} deliveries={failed} events={events} selectFor={selectFor} />
          {failed.length < FAILED_FIRST ? null : (
            <p>
              <a href={pathTo('/deliveries', { ...filter, status: 'failed' })}>All failed deliveries</a>
            </p>
          )}
        </section>
      )}
      {others.length === 0 ? null : (
        <section class="day">
          <h2>{isFirst ? 'Latest' : filter.status === undefined ? 'Older' : STATUS_WORDS[filter.status]}</h2>
          <DeliveryList page={page} deliveries={others} events={events} selectFor={selectFor} />
        </section>
      )}
      {isEmpty ? <NoDeliveries filter={filter} hasMore={next !== null} /> : null}
      <Paging url={page.url} next={next} />
    </Layout>
  );
}

async function readPage(
  { api, caller }: PageContext,
  { status, subscription }: DeliveryFilter,
  limit: number,
  after?: string,
): Promise<{ readonly data: readonly DeliveryView[]; readonly next: string | null }> {
  const query = { limit, status, after };
  return subscription === undefined
    ? listAllDeliveries(api, caller, query)
    : listDeliveries(api, caller, subscription, query);
}

/** The names of all subscriptions. */
export async function listSubscriptionNames({
  api,
  caller,
}: Pick<PageContext, 'api' | 'caller'>): Promise<readonly string[]> {
  const { data } = await listSubscriptions(api, caller, { limit: MAX_LISTED_SUBSCRIPTIONS });
  return data.map(({ name }) => name);
}

interface FiltersProps {
  readonly page: PageContext;
  readonly filter: DeliveryFilter;
  readonly names: readonly string[];
}

const Filters: FC<FiltersProps> = ({ filter, names }) => (
  <form class="list-filters" method="get" action={pathTo('/deliveries')}>
    <label>
      State{' '}
      <select name="status" data-send>
        <option value="">All, failed first</option>
        {(Object.keys(STATUS_WORDS) as DeliveryStatus[]).map((status) => (
          <option value={status} selected={filter.status === status}>
            {STATUS_WORDS[status]}
          </option>
        ))}
      </select>
    </label>
    <label>
      Subscription{' '}
      <select name="subscription" data-send>
        <option value="">All</option>
        {names.map((name) => (
          <option value={name} selected={filter.subscription === name}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <button type="submit">Show</button>
    {filter.status === undefined && filter.subscription === undefined ? null : (
      <a href={pathTo('/deliveries')}>Show all</a>
    )}
  </form>
);

/** The check boxes of the rows belong to this form. */
const RetryBar: FC<{ readonly page: PageContext; readonly filter: DeliveryFilter }> = ({ page, filter }) => {
  const all = filter.status ?? 'failed';
  const isRetriableStatus = all !== 'settled' && all !== 'gathered';
  return (
    <form id="retry" class="actions-bar" method="post" action={pathTo('/deliveries/retry')}>
      <Csrf page={page} />
      <input type="hidden" name="status" value={all} />
      <input type="hidden" name="subscription" value={filter.subscription ?? ''} />
      <button type="submit" name="what" value="selected">
        <Icon name="send" /> Retry selected…
      </button>
      {isRetriableStatus ? (
        <button type="submit" name="what" value="all">
          Retry all {all === 'failed' ? 'failed' : 'of these'}…
        </button>
      ) : null}
      <button class="quiet only-script" type="button" data-select-all="id">
        Select all on this page
      </button>
    </form>
  );
};

const NoDeliveries: FC<{ readonly filter: DeliveryFilter; readonly hasMore: boolean }> = ({ filter, hasMore }) => {
  if (hasMore) {
    return (
      <Empty title="None on this page">
        <p>Older deliveries may match. Go on with Older.</p>
      </Empty>
    );
  }
  if (filter.status !== undefined || filter.subscription !== undefined) {
    return (
      <Empty title={filter.status === 'failed' ? 'No failed deliveries' : 'No such deliveries'}>
        <p>
          {filter.status === 'failed' ? 'Every message was accepted, or is still being tried. ' : ''}
          <a href={pathTo('/deliveries')}>Show all deliveries</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No deliveries yet">
      <p>
        A delivery is one message to one receiver. They appear here as soon as an event matches a{' '}
        <a href={pathTo('/subscriptions')}>subscription</a>.
      </p>
    </Empty>
  );
};
