import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// CI wants the runner's own counts in a file: .ci/run prints its closing line from them.
const reporters = process.env.CI
  ? ['default', ['json', { outputFile: 'coverage/vitest.json' }] as ['json', { outputFile: string }]]
  : ['default'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A fifth faster to start than processes; one more than there are cores, for tests wait for children and timers a lot.
    pool: 'threads',
    maxWorkers: availableParallelism() + 1,
    // Files share the modules of their worker: loading them anew for each was a fifth of the time. So a test leaves nothing
    // behind in a module, and takes back what it changed in the environment.
    isolate: false,
    // A lane of its own, npm run test:aws: it needs more than npm.
    exclude: ['test/aws/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: reporters as ['default'],
  },
});
