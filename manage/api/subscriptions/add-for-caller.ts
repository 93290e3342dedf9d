/** Adds a subscription for a caller whose key may be removed in the same moment. */

import { UsageError } from '../../../core/model/errors.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import type { ChangeAuthor } from '../../../core/ports/audit-store.ts';
import { addSubscription, removeSubscription } from '../../../core/subscriptions/verbs.ts';
import type { ApiPorts } from '../http/api-ports.ts';

/** Whoever removed the key may have listed its subscriptions before this one was added: then it is removed again. */
export async function addForCaller(
  api: ApiPorts,
  author: ChangeAuthor,
  wanted: Subscription,
  options: Parameters<typeof addSubscription>[3],
): ReturnType<typeof addSubscription> {
  const added = await addSubscription(api, author, wanted, options);
  if (added.kind === 'taken') return added;
  try {
    await author.assertValid?.();
    return added;
  } catch (error) {
    // Only a refusal: what else fails says nothing about the key.
    if (!(error instanceof UsageError)) throw error;
    const { assertValid: _, ...former } = author;
    const details = { because: 'the key was removed meanwhile' };
    await removeSubscription(api, former, wanted.name, { details, reportsUnsent: false });
    throw error;
  }
}
