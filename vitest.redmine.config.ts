import { defineConfig } from 'vitest/config';
import { findObstacle } from './test/redmine/install.ts';

// Counts go to a file of their own, for .ci/run adds them up.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest-redmine.json' }] as ['json', { outputFile: string }]]
  : ['default'];

const obstacle = findObstacle();
if (obstacle !== undefined)
  process.stderr.write(`test:redmine: ${process.env.CI ? 'failed' : 'nothing was tested'}: ${obstacle}\n`);

export default defineConfig({
  test: {
    // In CI a missing Redmine is a failure.
    include: obstacle === undefined || process.env.CI ? ['test/redmine/**/*.test.ts'] : [],
    passWithNoTests: obstacle !== undefined,
    setupFiles: ['test/fix-seed.ts'],
    // Each file has a Redmine of its own, which answers one request at a time.
    fileParallelism: false,
    testTimeout: 900_000,
    // The first hook installs Redmine where it is missing.
    hookTimeout: 1_800_000,
    reporters: reporters as ['default'],
  },
});
