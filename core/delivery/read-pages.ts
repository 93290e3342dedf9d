/** Reads all deliveries of a subscription that have one status, in pages, however many there are. */

import type { Delivery } from '../model/delivery.ts';
import type { DeliveryStore, OpenDeliveryQuery } from '../ports/delivery-store.ts';

/** Deliveries read and updated at a time: a page has fewer if some have changed since they were listed. */
export const READ_PAGE_SIZE = 100;

/**
 * Oldest first. Deliveries may change while they are read: each is returned as it is when its page is read, without the lag
 * of an index, so that a caller that reads until none is left comes to an end.
 * @param first where to start in the list. @default 0
 */
export async function* readPages(
  deliveries: Pick<DeliveryStore, 'listIds' | 'get'>,
  query: OpenDeliveryQuery,
  first = 0,
): AsyncGenerator<readonly Delivery[]> {
  const ids = await deliveries.listIds(query);
  for (let start = first; start < ids.length; start += READ_PAGE_SIZE) {
    const page = await Promise.all(ids.slice(start, start + READ_PAGE_SIZE).map((id) => deliveries.get(id, true)));
    yield page
      .filter((one) => one !== undefined)
      .filter(({ status, subscription }) => status === query.status && subscription === query.subscription);
  }
}
