/** The secret files of a storm, which are missing or empty for a moment, as while they are replaced. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeededRandom } from './seeded-random.ts';

export type StormSecretFiles = ReturnType<typeof writeSecretFiles>;

/** Writes each secret to a file of its own. */
export function writeSecretFiles(folder: string, secrets: Readonly<Record<string, string>>, chance: SeededRandom) {
  mkdirSync(folder);
  const fileOf = (name: string) => join(folder, name);
  const restore = () => {
    for (const [name, secret] of Object.entries(secrets)) writeFileSync(fileOf(name), secret);
  };
  restore();
  return {
    /** The reference of a config. */
    reference: (name: string) => `file:${fileOf(name)}`,
    /** A random file is missing or empty until `restore`. */
    vanish(): void {
      const file = fileOf(chance.pick(Object.keys(secrets)) ?? '');
      if (chance.unit() < 0.5) rmSync(file, { force: true });
      else writeFileSync(file, '');
    },
    restore,
  };
}
