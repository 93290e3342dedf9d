import { defineConfig } from 'vitest/config';

// CI wants the runner's own counts in a file: .ci/run prints its closing line from them.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest.json' }] as ['json', { outputFile: string }]]
  : ['default'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A fifth faster to start than processes.
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: reporters as ['default'],
  },
});
