/** Says who made a subscription and where, with names. */

import type { SubscriptionView } from '../manage/api/subscriptions/subscription-schemas.ts';
import type { PageContext } from './page-context.ts';

/** `by ann in Slack, in #finance`. A key that was removed is known by its id. */
export async function describeOrigin({ api }: PageContext, { owner, madeBy }: SubscriptionView): Promise<string> {
  if (madeBy !== null) return `by ${madeBy.name} in Slack${madeBy.channel === null ? '' : `, in ${madeBy.channel}`}`;
  if (owner === null) return 'by the operator';
  const [kind, channel] = owner.split(':');
  if (kind === 'slack' && channel !== undefined) return `in the Slack channel ${channel}`;
  return `with the key ${(await api.apiKeys.get(owner))?.name ?? owner}`;
}
