/** Tries selected deliveries, or all of a state, again: first a page with their number, then the retry. */

import type { Child, FC } from 'hono/jsx';
import { getDelivery, retryDelivery } from '../../manage/api/deliveries.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { type RetryRequest, retryDeliveries } from '../../manage/api/retry-deliveries.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { DeliveryList, findFirstEvents, isRetriable } from '../parts/delivery-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { counted, withNotice } from '../parts/notice.ts';
import { deliveryPath, pathTo } from '../paths.ts';
import { type DeliveryFilter, listSubscriptionNames, readDeliveryFilter } from './deliveries.tsx';

type Form = ReadonlyMap<string, string>;

/** Deliveries that one form selects: a page of them, and more. */
const MAX_SELECTED = 200;

export async function retryMany(page: PageContext, _params: unknown, form: Form): Promise<string | Child> {
  const isConfirmed = form.get('confirmed') === 'yes';
  const filter = readDeliveryFilter({ get: (name) => form.get(name) ?? null });
  if (form.get('what') === 'all') return isConfirmed ? retryAll(page, filter) : confirmAll(page, filter);
  const ids = [...new Set((form.get('id') ?? '').split('\n'))].filter((id) => id !== '').slice(0, MAX_SELECTED);
  return isConfirmed ? retrySelected(page, ids) : confirmSelected(page, ids, filter);
}

/** From the page of one delivery. */
export async function retryOne(page: PageContext, { id = '' }: Readonly<Record<string, string>>): Promise<string> {
  await retryDelivery(page.api, page.caller, id);
  return withNotice(deliveryPath(id), 'retried', 1);
}

async function retrySelected(page: PageContext, ids: readonly string[]): Promise<string> {
  let count = 0;
  for (const id of ids) {
    try {
      await retryDelivery(page.api, page.caller, id);
      count += 1;
    } catch (error) {
      // It was accepted or removed in between.
      if (!(error instanceof Problem && (error.status === 409 || error.status === 404))) throw error;
    }
  }
  return withNotice(pathTo('/deliveries'), 'retried', count);
}

async function confirmSelected(page: PageContext, ids: readonly string[], filter: DeliveryFilter): Promise<Child> {
  const { api, caller } = page;
  const loaded = await Promise.all(ids.map((id) => getDelivery(api, caller, id).catch(() => undefined)));
  const deliveries = loaded.filter((one): one is DeliveryView => one !== undefined && isRetriable(one));
  const back = pathTo('/deliveries', { ...filter });
  if (deliveries.length === 0) {
    return (
      <Layout page={page} title="Nothing selected" section="deliveries">
        <h1>Nothing selected</h1>
        <p class="lead">Select deliveries that were not accepted yet, then choose Retry selected.</p>
        <p>
          <a href={back}>Back to the deliveries</a>
        </p>
      </Layout>
    );
  }
  return (
    <Confirm page={page} count={deliveries.length} back={back}>
      <input type="hidden" name="what" value="selected" />
      {deliveries.map(({ id }) => (
        <input type="hidden" name="id" value={id} />
      ))}
      <DeliveryList page={page} deliveries={deliveries} events={await findFirstEvents(page, deliveries)} />
    </Confirm>
  );
}

interface SubscriptionCount {
  readonly subscription: string;
  readonly status: RetryRequest['status'];
  readonly count: number;
  /** Whether there may be more. */
  readonly isPart: boolean;
}

async function countAll(
  page: PageContext,
  { status, subscription }: DeliveryFilter,
): Promise<readonly SubscriptionCount[]> {
  if (status === 'settled' || status === 'gathered') return [];
  const names = subscription === undefined ? await listSubscriptionNames(page) : [subscription];
  const counts: SubscriptionCount[] = [];
  for (const name of names) {
    const { count, next } = await retryDeliveries(page.api, page.caller, { subscription: name, status, dryRun: true });
    const isPart = next !== null;
    if (count > 0 || isPart) counts.push({ subscription: name, status, count, isPart });
  }
  return counts;
}

async function confirmAll(page: PageContext, filter: DeliveryFilter): Promise<Child> {
  const counts = await countAll(page, filter);
  const count = counts.reduce((sum, one) => sum + one.count, 0);
  const isPart = counts.some((one) => one.isPart);
  return (
    <Confirm page={page} count={count} isPart={isPart} back={pathTo('/deliveries', { ...filter })}>
      <input type="hidden" name="what" value="all" />
      <input type="hidden" name="status" value={filter.status ?? 'failed'} />
      <input type="hidden" name="subscription" value={filter.subscription ?? ''} />
      <dl class="facts">
        {counts.map((one) => (
          <>
            <dt>
              <bdi>{one.subscription}</bdi>
            </dt>
            <dd>
              {counted(one.count, 'delivery', 'deliveries')}
              {one.isPart ? ' or more' : ''}
            </dd>
          </>
        ))}
      </dl>
    </Confirm>
  );
}

async function retryAll(page: PageContext, filter: DeliveryFilter): Promise<string> {
  let count = 0;
  let isWhole = true;
  for (const { subscription, status } of await countAll(page, filter)) {
    const retried = await retryDeliveries(page.api, page.caller, { subscription, status });
    count += retried.count;
    isWhole = retried.next === null;
    if (!isWhole) break;
  }
  const path = pathTo('/deliveries', { subscription: filter.subscription });
  return withNotice(path, isWhole ? 'retried' : 'retried-part', count);
}

interface ConfirmProps {
  readonly page: PageContext;
  readonly count: number;
  /** Whether there may be more. @default false */
  readonly isPart?: boolean;
  readonly back: string;
  readonly children?: Child;
}

const Confirm: FC<ConfirmProps> = ({ page, count, isPart = false, back, children }) => {
  const deliveries = `${counted(count, 'delivery', 'deliveries')}${isPart ? ' or more' : ''}`;
  const title = count === 0 ? 'Nothing to retry' : `Retry ${deliveries}?`;
  return (
    <Layout page={page} title={title} section="deliveries">
      <h1>{title}</h1>
      {count === 0 ? (
        <p class="lead">All of them were accepted, or are being tried now.</p>
      ) : (
        <>
          <p class="lead">
            {count === 1 ? 'It is' : 'They are'} attempted once more
            {count > 10 ? ', oldest first, spread over time' : ''}. Receivers recognise a repeated message by its id.
          </p>
          <form method="post" action={pathTo('/deliveries/retry')}>
            <Csrf page={page} />
            <input type="hidden" name="confirmed" value="yes" />
            <p class="buttons">
              <button class="main" type="submit">
                <Icon name="send" /> Retry {deliveries}
              </button>
              <a class="button" href={back}>
                Cancel
              </a>
            </p>
            {children}
          </form>
        </>
      )}
      {count === 0 ? (
        <p>
          <a href={back}>Back to the deliveries</a>
        </p>
      ) : null}
    </Layout>
  );
};
