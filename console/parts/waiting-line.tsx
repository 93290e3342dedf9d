/** How many deliveries wait, for which subscriptions, and what the first of each waits for. */

import type { FC } from 'hono/jsx';
import { sayDelay } from '../../core/delivery/explain-wait.ts';
import { countWaiting } from '../../manage/api/deliveries.ts';
import { viewDeliveries } from '../../manage/api/view-delivery.ts';
import type { PageContext } from '../page-context.ts';
import { subscriptionPath } from '../paths.ts';
import { formatUntil, Relative } from './moment.tsx';
import { counted } from './notice.ts';

const MAX_SUBSCRIPTIONS = 6;

export type WaitingDeliveries = Awaited<ReturnType<typeof readWaiting>>;

export async function readWaiting({ api, caller, zone, now }: PageContext) {
  const counts = await countWaiting(api);
  const first = counts.data.slice(0, MAX_SUBSCRIPTIONS).map(({ nextDelivery }) => api.deliveries.get(nextDelivery));
  const found = (await Promise.all(first)).filter((one) => one !== undefined);
  const views = await viewDeliveries(api, caller, found);
  const causes = views.flatMap(({ id, wait }) =>
    wait === null ? [] : [[id, sayDelay(wait, (at) => formatUntil(at, zone, now))] as const],
  );
  return { ...counts, causes: new Map(causes) };
}

interface WaitingProps {
  readonly page: PageContext;
  readonly waiting: WaitingDeliveries;
}

export const WaitingLine: FC<WaitingProps> = ({ page, waiting: { count, more, data, causes } }) => {
  if (count === 0) return <>No delivery waits.</>;
  const retrying = data.reduce((sum, one) => sum + one.retrying, 0);
  const hidden = data.length - MAX_SUBSCRIPTIONS;
  return (
    <>
      {more ? 'More than ' : ''}
      {count.toLocaleString('en')} {count === 1 ? 'delivery waits' : 'deliveries wait'}
      {retrying === 0 ? '' : `, ${counted(retrying, 'after a failed attempt', 'after failed attempts')}`}:{' '}
      {data.slice(0, MAX_SUBSCRIPTIONS).map(({ subscription, count: own, nextAt, nextDelivery }, index) => (
        <>
          {index === 0 ? '' : ', '}
          {own.toLocaleString('en')} for{' '}
          <a href={subscriptionPath(subscription)}>
            <bdi>{subscription}</bdi>
          </a>{' '}
          ({causes.get(nextDelivery) ?? <Relative at={nextAt} zone={page.zone} now={page.now} />})
        </>
      ))}
      {hidden > 0 ? ` and for ${counted(hidden, 'more subscription')}` : ''}.
    </>
  );
};
