import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

it('npm ci accepts every Node from 20, also with --engine-strict: run `npm run relax-engines` after a change of dependencies', () => {
  // The manifest of the installed package requires Node 24, see tools/pack-manifest.mjs.
  expect(read('package.json').engines).toEqual({ node: '>=20' });
  const { '': _, ...packages }: Record<string, { engines?: object }> = read('package-lock.json').packages;
  expect(Object.keys(packages).filter((path) => packages[path]?.engines !== undefined)).toEqual([]);
});

it('npm ci finds every platform: the lockfile has an entry for each optional dependency of a package', () => {
  type Entry = { readonly optionalDependencies?: Readonly<Record<string, string>> };
  const packages: Record<string, Entry> = read('package-lock.json').packages;
  /** In the package's own folder or in one above it, as Node looks for it. */
  const isFound = (path: string, name: string): boolean =>
    packages[`${path}${path === '' ? '' : '/'}node_modules/${name}`] !== undefined ||
    (path !== '' && isFound(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isFound(path, name)),
  );
  expect(missing).toEqual([]);
});
