/**
 * Uses cached secrets and re-reads them when a receiver refuses one. The caller decides which errors are refusals.
 */

import { GiveUp } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export type ResolveSecret = Secrets['resolve'];

/**
 * Calls `use` again with fresh secrets if it failed with a refusal and a secret has changed: a rotated secret must not
 * look like a receiver that is gone.
 */
export async function withSecrets<Result>(
  secrets: Pick<Secrets, 'resolve'>,
  isRefusal: (error: unknown) => boolean,
  use: (resolve: ResolveSecret) => Promise<Result>,
): Promise<Result> {
  const used = new Map<string, string>();
  const recordingResolve: ResolveSecret = async (reference) => {
    const value = await secrets.resolve(reference);
    used.set(reference, value);
    return value;
  };
  try {
    return await use(recordingResolve);
  } catch (error) {
    if (!isRefusal(error) || !(await hasChanged(secrets, used, error))) throw error;
    return use((reference) => secrets.resolve(reference));
  }
}

/** Whether a used secret has a new value. Throws the refusal if one was deleted, or the error if one cannot be read now. */
async function hasChanged(
  secrets: Pick<Secrets, 'resolve'>,
  used: ReadonlyMap<string, string>,
  refusal: unknown,
): Promise<boolean> {
  const checks = [...used].map(async ([reference, before]) => {
    try {
      return (await secrets.resolve(reference, { fresh: true })) !== before;
    } catch (error) {
      throw error instanceof GiveUp ? refusal : error;
    }
  });
  return (await Promise.all(checks)).includes(true);
}
