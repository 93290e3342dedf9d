/** Compares the receivers of two subscriptions. */

import { isJsonObject, isSameValue } from '../model/json.ts';
import type { Subscription, Target } from '../model/subscription.ts';

type Receiving = Pick<Subscription, 'to'>;

/** Whether messages go to the same address, with the same headers and credentials. The signing secret makes no difference. */
export function hasSameReceiver(one: Receiving, other: Receiving): boolean {
  const withoutSecret = ({ channel, settings }: Target) => ({ channel, settings: { ...settings, secret: undefined } });
  return isSameValue(withoutSecret(one.to), withoutSecret(other.to));
}

/** The same without a look at the values of these keys, at any depth of the settings: references to secrets differ from place to place. */
export function hasSameAddress(one: Receiving, other: Receiving, secretKeys: readonly string[]): boolean {
  const without = (value: unknown): unknown =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, item]) => (secretKeys.includes(key) ? [] : [[key, without(item)]])),
        )
      : value;
  return isSameValue(without(one.to), without(other.to));
}
