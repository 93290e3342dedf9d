/** Reads all deliveries of a subscription that have one status, in pages, however many there are. */

import type { Delivery } from '../model/delivery.ts';
import type { DeliveryStore, OpenDeliveryQuery } from '../ports/delivery-store.ts';

/** Deliveries read and updated at a time. */
const PAGE_SIZE = 100;

/**
 * Oldest first. Deliveries may change while they are read: each is returned as it is when its page is read, without the lag
 * of an index, so that a caller that reads until none is left comes to an end.
 */
export async function* readPages(
  deliveries: Pick<DeliveryStore, 'listIds' | 'get'>,
  query: OpenDeliveryQuery,
): AsyncGenerator<readonly Delivery[]> {
  const ids = await deliveries.listIds(query);
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const page = await Promise.all(ids.slice(start, start + PAGE_SIZE).map((id) => deliveries.get(id, true)));
    yield page
      .filter((one) => one !== undefined)
      .filter(({ status, subscription }) => status === query.status && subscription === query.subscription);
  }
}
