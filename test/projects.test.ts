/** The projects of vitest.config.ts: which test file runs in which, and what the fast ones must not start. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDERS } from '../vitest.config.ts';

const root = join(import.meta.dirname, '..');

/** The files under test/ that this file imports, directly or through other files under test/, and itself. */
function importedTestFiles(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm,
  )) {
    const target = normalize(join(dirname(file), specifier));
    if (target.startsWith('test/')) importedTestFiles(target, seen);
  }
  return seen;
}

const EMULATOR = /from '(dynalite|fauxqs)'/;

/** Packages and modules that start an AWS emulator or a child process. */
const SLOW_MODULES = /from '(dynalite|fauxqs|node:child_process|node:worker_threads|aws-cdk-lib)/;

it('starts an emulator of AWS only in the project emulators, which npm test leaves out', () => {
  const isIn = (patterns: readonly string[]) =>
    new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })));
  const others = ['test/aws/**', 'test/api/**', 'test/browser/**', 'test/redmine/**', 'test/projects.test.ts'];
  const elsewhere = isIn([...PROJECT_FOLDERS.emulators, ...others]);
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !elsewhere.has(file));
  const emulated = files.filter((file) =>
    [...importedTestFiles(file)].some((imported) => EMULATOR.test(readFileSync(join(root, imported), 'utf8'))),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(emulated).toEqual([]);
});

it('starts no emulator and no child process in the fast project', () => {
  const files = PROJECT_FOLDERS.fast
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => file.endsWith('.test.ts') && file !== 'test/projects.test.ts');
  const slow = files.flatMap((file) =>
    [...importedTestFiles(file)]
      .filter((imported) => SLOW_MODULES.test(readFileSync(join(root, imported), 'utf8')))
      .map((imported) => `${file} → ${imported}`),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(slow).toEqual([]);
});
