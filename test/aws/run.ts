/**
 * `npm run test:aws`: tests the adapters and the pipeline against moto, an independent emulator of AWS, and the templates with
 * cfn-lint. Installs both beside the project, starts moto, and runs the tests.
 */

import { spawn } from 'node:child_process';
import { startMoto } from './moto.ts';
import { installTools } from './tools.ts';

const say = (text: string) => process.stderr.write(`test:aws: ${text}\n`);

async function run(): Promise<number> {
  const tools = installTools(say);
  if (tools === undefined) {
    const text = 'needs Python 3.10 or newer with its venv module (Debian: apt-get install python3 python3-venv)';
    // In CI, tests that did not run must not look like tests that passed.
    const isCi = (process.env.CI ?? '') !== '';
    say(isCi ? `failed: it ${text}` : `did not run: it ${text}; nothing was tested`);
    return isCi ? 1 : 0;
  }
  const given = process.env.AWS_ENDPOINT_URL;
  if (given !== undefined && given !== '') {
    say(`on ${given}`);
    return runTests(given);
  }
  const moto = await startMoto(tools);
  say(`on moto at ${moto.endpoint}`);
  try {
    return await runTests(moto.endpoint);
  } finally {
    await moto.stop();
  }
}

/** The SDK's clients read endpoint, region and credentials from these variables, as in a function. */
function runTests(endpoint: string): Promise<number> {
  const env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
  };
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.aws.config.ts', ...process.argv.slice(2)];
  const child = spawn(process.execPath, argv, { env, stdio: 'inherit' });
  process.once('exit', () => child.kill());
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

// A signal also ends moto and the tests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await run();
