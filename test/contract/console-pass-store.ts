/** The contract of ConsolePassStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import type { ConsolePass } from '../../core/model/console-pass.ts';
import { NOON } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function consolePassStoreContract(name: string, open: OpenStores): void {
  describe(`ConsolePassStore: ${name}`, () => {
    const opened = openForEach(open);
    const pass: ConsolePass = {
      hash: 'a'.repeat(64),
      kind: 'link',
      person: 'ann',
      scope: 'admin',
      createdAt: NOON,
      expiresAt: later(10),
    };

    it('keeps passes until they are taken, and gives each to one of several callers', async () => {
      const { consolePasses } = opened.stores;
      expect(await consolePasses.get(pass.hash)).toBeUndefined();
      await consolePasses.save(pass);
      expect(await consolePasses.get(pass.hash)).toEqual(pass);
      const taken = await Promise.all([1, 2, 3].map(() => consolePasses.take(pass.hash)));
      expect(taken.filter((one) => one !== undefined)).toEqual([pass]);
      expect(await consolePasses.get(pass.hash)).toBeUndefined();
      expect(await consolePasses.take(pass.hash)).toBeUndefined();
    });

    it('removes all at once', async () => {
      const { consolePasses } = opened.stores;
      const session: ConsolePass = { ...pass, hash: 'b'.repeat(64), kind: 'session', scope: 'read' };
      await consolePasses.save(pass);
      await consolePasses.save(session);
      expect(await consolePasses.removeAll()).toBe(2);
      expect(await consolePasses.get(session.hash)).toBeUndefined();
      expect(await consolePasses.removeAll()).toBe(0);
    });

    it('keeps passes that have not expired when it prunes', async () => {
      const { consolePasses } = opened.stores;
      await consolePasses.save(pass);
      await consolePasses.prune(NOON);
      expect(await consolePasses.get(pass.hash)).toEqual(pass);
      await consolePasses.prune(later(11));
    });
  });
}
