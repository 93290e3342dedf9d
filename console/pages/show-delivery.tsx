/** One delivery: its events, its message, and each attempt with the response of the receiver. */

import type { Child, FC } from 'hono/jsx';
import { sayReader } from '../../core/delivery/describe-reader.ts';
import { sayDelay } from '../../core/delivery/explain-wait.ts';
import { attemptsMade } from '../../core/model/delivery.ts';
import { getDelivery } from '../../manage/api/deliveries.ts';
import { findEvents } from '../../manage/api/events.ts';
import { previewDelivery } from '../../manage/api/preview-message.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { AttemptList } from '../parts/attempts.tsx';
import { describeMark, isRetriable } from '../parts/delivery-list.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { MessagePreviewCard } from '../parts/message-preview.tsx';
import { formatUntil, Moment } from '../parts/moment.tsx';
import { counted, noticeOf } from '../parts/notice.ts';
import { deliveryState } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { deliveryPath, pathTo, subscriptionPath } from '../paths.ts';

/** Events that the page lists. A digest or a storm may have thousands. */
const MAX_EVENTS = 50;

export async function showDelivery(page: PageContext, { id = '' }: Readonly<Record<string, string>>): Promise<Child> {
  const { api, caller, zone } = page;
  const delivery = await getDelivery(api, caller, id);
  const events = await findEvents(api, caller, delivery.events.slice(0, MAX_EVENTS));
  const preview = await previewDelivery(api, caller, id);
  const more = delivery.events.length - MAX_EVENTS;
  return (
    <Layout page={page} title={`Delivery to ${delivery.subscription}`} section="deliveries" notice={noticeOf(page.url)}>
      <p class="back">
        <a href={pathTo('/deliveries')}>
          <Icon name="back" /> Deliveries
        </a>
      </p>
      <div class="heading">
        <h1>
          Delivery to <bdi>{delivery.subscription}</bdi>
        </h1>
        <Status {...deliveryState(delivery)} />
      </div>
      <Facts page={page} delivery={delivery} />
      {page.session.isReadOnly || !isRetriable(delivery) ? null : (
        <form class="buttons" method="post" action={`${deliveryPath(delivery.id)}/retry`}>
          <Csrf page={page} />
          <button class="main" type="submit">
            <Icon name="send" /> Retry now
          </button>
        </form>
      )}
      <section>
        <h2>Attempts</h2>
        {delivery.attempts.length === 0 ? (
          <p class="soft">None yet.</p>
        ) : (
          <AttemptList attempts={delivery.attempts} zone={zone} />
        )}
      </section>
      <section>
        <h2>{delivery.events.length === 1 ? 'Event' : counted(delivery.events.length, 'event')}</h2>
        {events.size === 0 ? (
          <p class="soft">{delivery.events.length === 0 ? 'A digest of what is open.' : 'They are no longer kept.'}</p>
        ) : (
          <EventList page={page} events={[...events.values()]} />
        )}
        {more > 0 ? <p class="soft">and {counted(more, 'more event')}</p> : null}
      </section>
      {preview === null ? null : (
        <section>
          <h2>Message</h2>
          <p class="soft">As it would be sent now. A later change of the subscription changes it.</p>
          <MessagePreviewCard preview={preview} mailQuery={{ delivery: delivery.id }} />
        </section>
      )}
    </Layout>
  );
}

const Facts: FC<{ readonly page: PageContext; readonly delivery: DeliveryView }> = ({ page, delivery }) => {
  const { zone } = page;
  const { id, subscription, createdAt, settledAt, dueAt, into, reader, wait, skipped } = delivery;
  const [mark] = describeMark(delivery);
  return (
    <dl class="facts card">
      <dt>Subscription</dt>
      <dd>
        <a href={subscriptionPath(subscription)}>
          <bdi>{subscription}</bdi>
        </a>
      </dd>
      <dt>Opened</dt>
      <dd>
        <Moment at={createdAt} zone={zone} />
        {mark === undefined ? null : <span class="soft"> · {mark}</span>}
      </dd>
      {settledAt === null ? null : (
        <>
          <dt>Finished</dt>
          <dd>
            <Moment at={settledAt} zone={zone} />
          </dd>
        </>
      )}
      {wait === null ? null : (
        <>
          <dt>Waits</dt>
          <dd>{sayDelay(wait, (at) => formatUntil(at, zone, page.now))}</dd>
        </>
      )}
      {skipped === null ? null : (
        <>
          <dt>Skipped</dt>
          <dd>{skipped}</dd>
        </>
      )}
      {dueAt === null || wait !== null ? null : (
        <>
          <dt>Next attempt</dt>
          <dd>
            <Moment at={dueAt} zone={zone} />
          </dd>
        </>
      )}
      {into === undefined ? null : (
        <>
          <dt>Part of</dt>
          <dd>
            <a href={deliveryPath(into)}>another message</a>
          </dd>
        </>
      )}
      {reader === null ? null : (
        <>
          <dt>Reader</dt>
          <dd>
            <bdi>{sayReader(reader)}</bdi>
          </dd>
        </>
      )}
      <dt>Attempts</dt>
      <dd>{attemptsMade(delivery)}</dd>
      <dt>Id</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  );
};
