import { defineConfig } from 'vitest/config';

// Started by test/aws/run.ts, which says where AWS is. Counts go to a file of their own, for .ci/run adds them up.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest-aws.json' }] as ['json', { outputFile: string }]]
  : ['default'];

export default defineConfig({
  test: {
    include: ['test/aws/**/*.test.ts'],
    // moto answers some hundred requests a second, all files together.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reporters as ['default'],
  },
});
