import { describe, expect, it } from 'vitest';
import { withSecrets } from '../../../adapters/secrets/with-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';

/** Caches secrets until a fresh one is requested. */
function cachingSecrets(now: Record<string, string | Error>) {
  const kept = new Map<string, string>();
  const reads: string[] = [];
  return {
    now,
    reads,
    async resolve(reference: string, { fresh = false } = {}): Promise<string> {
      const known = fresh ? undefined : kept.get(reference);
      if (known !== undefined) return known;
      reads.push(reference);
      const value = now[reference] ?? new GiveUp('TIDINGS_SECRET_UNAVAILABLE', reference);
      if (value instanceof Error) throw value;
      kept.set(reference, value);
      return value;
    },
  };
}

const refused = new GiveUp('TIDINGS_SLACK_REFUSED', 'no', { gone: true });
const isRefusal = (error: unknown) => error === refused;

/** A receiver that accepts one value, and the values it was sent. */
function receiver(right: string) {
  const sent: string[] = [];
  const use = async (resolve: (reference: string) => Promise<string>) => {
    const value = await resolve('hook');
    sent.push(value);
    if (value !== right) throw refused;
    return 'accepted';
  };
  return { sent, use };
}

const failure = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => expect.unreachable('expected an error'),
    (error: unknown) => error,
  );

describe('withSecrets', () => {
  it('uses cached secrets while they are accepted', async () => {
    const secrets = cachingSecrets({ hook: 'a' });
    const { sent, use } = receiver('a');
    expect([await withSecrets(secrets, isRefusal, use), await withSecrets(secrets, isRefusal, use)]).toEqual([
      'accepted',
      'accepted',
    ]);
    expect([sent, secrets.reads]).toEqual([['a', 'a'], ['hook']]);
  });

  it('tries again with the new value when the old one is refused', async () => {
    const secrets = cachingSecrets({ hook: 'old' });
    await secrets.resolve('hook');
    secrets.now.hook = 'new';
    const { sent, use } = receiver('new');
    expect(await withSecrets(secrets, isRefusal, use)).toBe('accepted');
    expect(sent).toEqual(['old', 'new']);
  });

  it('throws the refusal of an unchanged secret, after one fresh read', async () => {
    const secrets = cachingSecrets({ hook: 'old' });
    const { sent, use } = receiver('other');
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(refused);
    expect([sent, secrets.reads]).toEqual([['old'], ['hook', 'hook']]);
  });

  it('throws the refusal of the new value', async () => {
    const secrets = cachingSecrets({ hook: 'old' });
    await secrets.resolve('hook');
    secrets.now.hook = 'new';
    const { sent, use } = receiver('other');
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(refused);
    expect(sent).toEqual(['old', 'new']);
  });

  it('reads no secret again for any other error', async () => {
    const secrets = cachingSecrets({ hook: 'a' });
    const busy = new RetryLater('TIDINGS_SLACK_BUSY', 'later');
    const use = async (resolve: (reference: string) => Promise<string>) => {
      await resolve('hook');
      throw busy;
    };
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(busy);
    expect(secrets.reads).toEqual(['hook']);
  });

  it('throws the refusal when the secret was deleted, and RetryLater when it cannot be read', async () => {
    const secrets = cachingSecrets({ hook: 'old' });
    await secrets.resolve('hook');
    delete secrets.now.hook;
    expect(await failure(withSecrets(secrets, isRefusal, receiver('new').use))).toBe(refused);
    const throttled = new RetryLater('TIDINGS_SECRET_UNREACHABLE', 'too fast');
    secrets.now.hook = throttled;
    expect(await failure(withSecrets(secrets, isRefusal, receiver('new').use))).toBe(throttled);
  });

  it('checks every secret that was used', async () => {
    const secrets = cachingSecrets({ user: 'ann', password: 'old' });
    await Promise.all(['user', 'password'].map((name) => secrets.resolve(name)));
    secrets.now.password = 'new';
    const logins: string[] = [];
    const answer = await withSecrets(secrets, isRefusal, async (resolve) => {
      const login = `${await resolve('user')}:${await resolve('password')}`;
      logins.push(login);
      if (login !== 'ann:new') throw refused;
      return 'in';
    });
    expect([answer, logins]).toEqual(['in', ['ann:old', 'ann:new']]);
  });
});
