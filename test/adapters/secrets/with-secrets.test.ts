import { describe, expect, it } from 'vitest';
import { withSecrets } from '../../../adapters/secrets/with-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';

/** Secrets that are remembered until somebody wants a fresh one. */
function remembering(now: Record<string, string | Error>) {
  const kept = new Map<string, string>();
  const looks: string[] = [];
  return {
    now,
    looks,
    async resolve(reference: string, { fresh = false } = {}): Promise<string> {
      const known = fresh ? undefined : kept.get(reference);
      if (known !== undefined) return known;
      looks.push(reference);
      const value = now[reference] ?? new GiveUp('TIDINGS_SECRET_UNAVAILABLE', reference);
      if (value instanceof Error) throw value;
      kept.set(reference, value);
      return value;
    },
  };
}

const refused = new GiveUp('TIDINGS_SLACK_REFUSED', 'no', { gone: true });
const isRefusal = (error: unknown) => error === refused;

/** A receiver that knows one value, and how often it was asked. */
function receiver(right: string) {
  const asked: string[] = [];
  const use = async (resolve: (reference: string) => Promise<string>) => {
    const value = await resolve('hook');
    asked.push(value);
    if (value !== right) throw refused;
    return 'taken';
  };
  return { asked, use };
}

const failure = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => expect.unreachable('it went well'),
    (error: unknown) => error,
  );

describe('withSecrets', () => {
  it('uses what is remembered, and looks nothing up while it is taken', async () => {
    const secrets = remembering({ hook: 'a' });
    const { asked, use } = receiver('a');
    expect([await withSecrets(secrets, isRefusal, use), await withSecrets(secrets, isRefusal, use)]).toEqual([
      'taken',
      'taken',
    ]);
    expect([asked, secrets.looks]).toEqual([['a', 'a'], ['hook']]);
  });

  it('tries once more with what the secret is now, when the old one is refused', async () => {
    const secrets = remembering({ hook: 'old' });
    await secrets.resolve('hook');
    secrets.now.hook = 'new';
    const { asked, use } = receiver('new');
    expect(await withSecrets(secrets, isRefusal, use)).toBe('taken');
    expect(asked).toEqual(['old', 'new']);
  });

  it('believes a refusal of a secret that is still the same, after one look', async () => {
    const secrets = remembering({ hook: 'old' });
    const { asked, use } = receiver('other');
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(refused);
    expect([asked, secrets.looks]).toEqual([['old'], ['hook', 'hook']]);
  });

  it('believes a refusal of the new one, too', async () => {
    const secrets = remembering({ hook: 'old' });
    await secrets.resolve('hook');
    secrets.now.hook = 'new';
    const { asked, use } = receiver('other');
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(refused);
    expect(asked).toEqual(['old', 'new']);
  });

  it('looks nothing up for an error of another kind', async () => {
    const secrets = remembering({ hook: 'a' });
    const busy = new RetryLater('TIDINGS_SLACK_BUSY', 'later');
    const use = async (resolve: (reference: string) => Promise<string>) => {
      await resolve('hook');
      throw busy;
    };
    expect(await failure(withSecrets(secrets, isRefusal, use))).toBe(busy);
    expect(secrets.looks).toEqual(['hook']);
  });

  it('believes the refusal when the secret is gone, and waits when its place cannot be asked', async () => {
    const secrets = remembering({ hook: 'old' });
    await secrets.resolve('hook');
    delete secrets.now.hook;
    expect(await failure(withSecrets(secrets, isRefusal, receiver('new').use))).toBe(refused);
    const throttled = new RetryLater('TIDINGS_SECRET_UNREACHABLE', 'too fast');
    secrets.now.hook = throttled;
    expect(await failure(withSecrets(secrets, isRefusal, receiver('new').use))).toBe(throttled);
  });

  it('looks at every secret that was used: any of them may be the one', async () => {
    const secrets = remembering({ user: 'ann', password: 'old' });
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
