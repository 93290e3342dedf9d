/** `npm run test:browser`: the tests of pages in Chromium, which is not an npm package. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: ['test/fix-seed.ts'],
    // Each file has its own Chromium, which uses more than one core.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // .ci/run reads the counts from this file.
    reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/vitest-browser.json' }]] : ['default'],
  },
});
