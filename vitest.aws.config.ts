import { defineConfig } from 'vitest/config';

// Started by test/aws/run.ts, which says where AWS is. Counts go to a file of their own, for .ci/run adds them up.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest-aws.json' }] as ['json', { outputFile: string }]]
  : ['default'];

export default defineConfig({
  test: {
    // And the faults of tables and functions, all of them: npm test has time for some only.
    include: ['test/aws/**/*.test.ts', 'test/{functions,adapters/dynamodb}/faults.test.ts'],
    setupFiles: ['test/fix-seed.ts'],
    env: { TIDINGS_EVERY_CALL: '1' },
    // moto answers some hundred requests a second, all files together.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: reporters as ['default'],
  },
});
