/** Applies a partial request to a subscription. The result is a request that would make the changed subscription. */

import type { Subscription } from '../../../core/model/subscription.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import { HTTP_KEYS, QUERY_KEYS, URL_KEYS } from './subscription-input.ts';
import { toConfigForm } from './subscription-view.ts';

/** Keys of the patch replace those of the subscription; null removes one. References to secrets are kept. */
export function mergePatch(known: Subscription, patch: unknown): unknown {
  if (!isConfigSection(patch)) return patch;
  const { expiresAt, removeWhenGone } = known;
  const { to, ...form } = toConfigForm(known, (text) => text);
  const merged: Record<string, unknown> = {
    ...form,
    expiresAt,
    removeWhenGone,
    ...targetOf(known, to),
  };
  const givenUrl = URL_KEYS.find((key) => patch[key] !== undefined);
  // Another receiver replaces the whole target, another URL only the URL.
  const isNewTarget = patch.to !== undefined || (givenUrl !== undefined && merged.to !== undefined);
  if (isNewTarget) for (const key of ['to', 'url', ...HTTP_KEYS]) delete merged[key];
  if (givenUrl !== undefined) delete merged.url;
  if (patch.event !== undefined) delete merged.events;
  // A query says all of it: what it does not name is removed.
  if (patch.query !== undefined) for (const key of QUERY_KEYS) delete merged[key];
  const entries = Object.entries({ ...merged, ...patch });
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}

/** An HTTP endpoint in the short form, whose signing secret the API keeps. */
function targetOf({ to: { channel, settings } }: Subscription, to: object): Record<string, unknown> {
  if (channel !== 'http') return { to };
  const { secret: _, ...http } = settings as Record<string, unknown>;
  return http;
}
