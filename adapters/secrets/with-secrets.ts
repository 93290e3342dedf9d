/**
 * Uses secrets as they are remembered, and looks again before it believes a refusal. What a refusal looks like is for
 * those who send.
 */

import { GiveUp } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export type Resolve = Secrets['resolve'];

/**
 * Refused as one refuses a wrong secret, it is done once more with the secrets of this moment, if they are others: whoever
 * changed one and ended the old must not hear that the receiver is gone.
 */
export async function withSecrets<Result>(
  secrets: Pick<Secrets, 'resolve'>,
  isRefusal: (error: unknown) => boolean,
  use: (resolve: Resolve) => Promise<Result>,
): Promise<Result> {
  const used = new Map<string, string>();
  const noting: Resolve = async (reference) => {
    const value = await secrets.resolve(reference);
    used.set(reference, value);
    return value;
  };
  try {
    return await use(noting);
  } catch (error) {
    if (!isRefusal(error) || !(await changed(secrets, used, error))) throw error;
    return use((reference) => secrets.resolve(reference));
  }
}

/** Whether one of them is another by now. What cannot be found any longer is no other; what cannot be asked may be. */
async function changed(
  secrets: Pick<Secrets, 'resolve'>,
  used: ReadonlyMap<string, string>,
  refusal: unknown,
): Promise<boolean> {
  const looks = [...used].map(async ([reference, before]) => {
    try {
      return (await secrets.resolve(reference, { fresh: true })) !== before;
    } catch (error) {
      throw error instanceof GiveUp ? refusal : error;
    }
  });
  return (await Promise.all(looks)).includes(true);
}
