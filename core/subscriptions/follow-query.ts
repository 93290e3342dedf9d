/** The query of a person in Slack after its subscription was changed elsewhere: it always says what the subscription does. */

import { printQuery } from '../filters/query.ts';
import { queryFromSubscription } from '../filters/query-from.ts';
import { isSameValue } from '../model/json.ts';
import type { Subscription } from '../model/subscription.ts';

/** Who made it, without a query if the query language cannot express the change, and without the presses of a former filter. */
export function followQuery(
  { madeBy, ...stored }: Subscription,
  changed: Subscription,
  types: readonly string[],
): Subscription['madeBy'] {
  const isSame = (key: 'events' | 'where' | 'digest' | 'quiet') => isSameValue(stored[key], changed[key]);
  if (madeBy === undefined || (['events', 'where', 'digest', 'quiet'] as const).every(isSame)) return madeBy;
  const { query: _, exclusions, ...rest } = madeBy;
  const isSameFilter = isSame('events') && isSame('where');
  const maker = isSameFilter && exclusions !== undefined ? { ...rest, exclusions } : rest;
  const query = queryFromSubscription(changed, types);
  return query === undefined ? maker : { ...maker, query: printQuery(query) };
}
