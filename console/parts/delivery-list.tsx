/** Deliveries as rows: what happened, to whom it goes, and how far it is. */

import type { FC } from 'hono/jsx';
import { sayReader } from '../../core/delivery/describe-reader.ts';
import { attemptsMade } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { findEvents } from '../../manage/api/events.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { describeProgress } from '../outcome.ts';
import type { PageContext } from '../page-context.ts';
import { deliveryPath } from '../paths.ts';
import { Relative } from './moment.tsx';
import { counted } from './notice.ts';
import { Sentence } from './sentence.tsx';
import { deliveryState } from './state.tsx';
import { Status } from './status.tsx';

/** The first event of each delivery, which its row shows. */
export function findFirstEvents(
  { api, caller }: Pick<PageContext, 'api' | 'caller'>,
  deliveries: readonly DeliveryView[],
): Promise<ReadonlyMap<string, TidingsEvent>> {
  return findEvents(
    api,
    caller,
    deliveries.flatMap(({ events }) => events.slice(0, 1)),
  );
}

interface DeliveryListProps {
  readonly page: PageContext;
  readonly deliveries: readonly DeliveryView[];
  readonly events: ReadonlyMap<string, TidingsEvent>;
  /** The id of the form that the check boxes of the rows belong to. @default - rows cannot be selected */
  readonly selectFor?: string;
  /** @default - each row names its subscription */
  readonly hidesSubscription?: boolean;
}

export const DeliveryList: FC<DeliveryListProps> = ({ page, deliveries, events, selectFor, hidesSubscription }) => (
  <ol class="rows">
    {deliveries.map((delivery) => (
      <li id={delivery.id} class={selectFor === undefined ? undefined : 'selectable'}>
        {selectFor === undefined ? null : (
          <label class="select">
            <input
              type="checkbox"
              form={selectFor}
              name="id"
              value={delivery.id}
              disabled={!isRetriable(delivery)}
              data-select
            />
            <span class="unseen">Select this delivery to {delivery.subscription}</span>
          </label>
        )}
        <a class="row delivery" href={deliveryPath(delivery.id)}>
          <Status {...deliveryState(delivery)} />
          <span class="what">
            <DeliverySubject delivery={delivery} event={events.get(delivery.events[0] ?? '')} />
            <span class="place">
              {[
                ...(hidesSubscription === true ? [] : [`to ${delivery.subscription}`]),
                ...(delivery.reader === null ? [] : [sayReader(delivery.reader)]),
                ...describeMark(delivery),
              ].join(' · ')}
            </span>
            {needsReason(delivery) ? <span class="place">{describeProgress(delivery, page)}</span> : null}
          </span>
          <span class="soft tries">{describeTries(delivery)}</span>
          <Relative at={delivery.settledAt ?? delivery.createdAt} zone={page.zone} now={page.now} />
        </a>
      </li>
    ))}
  </ol>
);

/** The sentence of its event; of a group, the first one and how many more. */
const DeliverySubject: FC<{ readonly delivery: DeliveryView; readonly event: TidingsEvent | undefined }> = ({
  delivery,
  event,
}) => {
  const more = delivery.events.length - 1;
  if (event === undefined) {
    return <span>{delivery.events.length === 0 ? 'Digest of what is open' : 'An event that is no longer kept'}</span>;
  }
  return (
    <>
      <Sentence event={event} />
      {more > 0 ? <span class="soft"> and {counted(more, 'more event')}</span> : null}
    </>
  );
};

/** A delivery that was not sent says why in its row. */
function needsReason({ status, wait, skipped }: DeliveryView): boolean {
  return wait !== null || skipped !== null || status === 'failed';
}

/** Empty for an ordinary delivery. */
export function describeMark({ mark }: Pick<DeliveryView, 'mark'>): readonly string[] {
  if (mark === 'test') return ['test message'];
  return mark === 'replay' ? ['sent again on request'] : [];
}

function describeTries(delivery: DeliveryView): string {
  const count = attemptsMade(delivery);
  return count === 0 ? '' : counted(count, 'attempt');
}

/** Those that have been accepted, or are part of another message, cannot be tried again. */
export function isRetriable({ status }: Pick<DeliveryView, 'status'>): boolean {
  return status !== 'settled' && status !== 'gathered';
}
