/** The tests as projects by folder: `vitest run --project fast` runs one, `vitest run` all. CONTRIBUTING.md describes them. */

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A test file belongs to the first project whose folders contain it. Everything else in test/ is `servers`. */
export const PROJECT_FOLDERS = {
  fast: [
    'test/*.test.ts',
    'test/core/**',
    'test/cli/**',
    'test/service/**',
    'test/manage/**',
    'test/runtime/config/**',
  ],
  emulators: [
    'test/adapters/{dynamodb,sqs}/**',
    'test/e2e/{aws-*,move,open-stores,verify-aws}.test.ts',
    'test/functions/**',
    'test/lib/**',
    'test/runtime/aws/**',
    'test/stores/**',
    'test/truth/moves.test.ts',
  ],
  truth: ['test/truth/**', 'test/e2e/faults.test.ts', 'test/runtime/poll-simulator.test.ts'],
  processes: ['test/{docs,e2e,kit,tools}/**'],
  isolated: ['test/adapters/channels/toy/**'],
} as const;

/** `npm run test:aws`, `npm run test:redmine` and `npm run test:browser` have their own configs: they need more than npm packages. */
const OTHER_LANES = ['test/aws/**', 'test/api/**', 'test/browser/**', 'test/redmine/**'];

const tests = (folders: readonly string[]) =>
  folders.map((folder) => (folder.endsWith('.ts') ? folder : `${folder}/*.test.ts`));

const projects = [
  ...Object.entries(PROJECT_FOLDERS).map(([name, folders], index, all) => ({
    extends: true as const,
    test: {
      name,
      include: tests(folders),
      exclude: all.slice(0, index).flatMap(([, earlier]) => [...earlier]),
      // A mocked module must not meet the modules that another file has loaded.
      isolate: name === 'isolated',
    },
  })),
  {
    extends: true as const,
    test: {
      name: 'servers',
      include: ['test/**/*.test.ts'],
      exclude: [...OTHER_LANES, ...Object.values(PROJECT_FOLDERS).flat()],
    },
  },
];

export default defineConfig({
  test: {
    projects,
    // Threads start faster than processes. Many tests wait for timers and children, so three workers more than there are cores.
    pool: 'threads',
    maxWorkers: availableParallelism() + 3,
    // Files of a project share the modules of their worker, which saves a fifth of the time. A test must not leave state in a
    // module, and must restore the environment variables it changes.
    isolate: false,
    setupFiles: ['test/fix-seed.ts'],
    // Its modules have no file extensions, which only a bundler resolves.
    server: { deps: { inline: ['adaptivecards'] } },
    // Generous: a busy machine is several times slower, and no test should fail because of that.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // .ci/run reads the counts from this file.
    reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/vitest.json' }]] : ['default'],
  },
});
