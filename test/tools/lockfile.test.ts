import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

it('npm ci accepts every Node from 20, also with --engine-strict: run `npm run relax-engines` after a change of dependencies', () => {
  const { devEngines } = read('package.json');
  // npm checks this for a clone, and `engines` for an installation.
  expect(devEngines.runtime).toEqual({ name: 'node', version: '>=20', onFail: 'error' });
  const { '': _, ...packages }: Record<string, { engines?: object }> = read('package-lock.json').packages;
  expect(Object.keys(packages).filter((path) => packages[path]?.engines !== undefined)).toEqual([]);
});
