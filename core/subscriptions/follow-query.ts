/** The query of a person in Slack after its subscription was changed elsewhere: it always says what the subscription does. */

import { printQuery } from '../filters/query.ts';
import { queryFromSubscription } from '../filters/query-from.ts';
import { isSameValue } from '../model/json.ts';
import type { Subscription } from '../model/subscription.ts';

/** Who made it, without a query if the query language cannot express the change. */
export function followQuery(
  { madeBy, ...stored }: Subscription,
  changed: Subscription,
  types: readonly string[],
): Subscription['madeBy'] {
  const isSame = (['events', 'where', 'digest', 'quiet'] as const).every((key) =>
    isSameValue(stored[key], changed[key]),
  );
  if (madeBy === undefined || isSame) return madeBy;
  const { query: _, ...maker } = madeBy;
  const query = queryFromSubscription(changed, types);
  return query === undefined ? maker : { ...maker, query: printQuery(query) };
}
