import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { TOOLS } from './test/aws/tools.ts';

// Started by test/aws/run.ts, which says where AWS is. Counts go to a file of their own, for .ci/run adds them up.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest-aws.json' }] as ['json', { outputFile: string }]]
  : ['default'];

export default defineConfig({
  test: {
    include: [
      'test/aws/**/*.test.ts',
      // schemathesis needs a newer Python than moto does.
      ...(existsSync(TOOLS.schemathesis) ? ['test/api/**/*.test.ts'] : []),
      // All faults of tables and functions: npm test has time for some only.
      'test/{functions,adapters/dynamodb}/faults.test.ts',
      'test/functions/{storm,rollback,upgrade}.test.ts',
      // DynamoDB Local enforces the limits of tables.
      'test/functions/limits.test.ts',
      // It says what requests consume, indexes included.
      'test/functions/unit-quota.test.ts',
      'test/adapters/dynamodb/unit-meter.test.ts',
      // The sample in Go as well.
      'test/kit/receiving-docs.test.ts',
    ],
    setupFiles: ['test/fix-seed.ts'],
    env: { TIDINGS_EVERY_CALL: '1', TIDINGS_GO: '1' },
    // moto answers some hundred requests a second, all files together.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: reporters as ['default'],
  },
});
