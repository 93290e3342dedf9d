/**
 * The lane `npm run test:aws`: the adapters and the pipeline against an AWS that nobody here wrote, and the templates before
 * a judge of AWS's own rules. Installs moto and cfn-lint beside the project, starts the one, and runs the tests.
 */

import { spawn } from 'node:child_process';
import { startMoto } from './moto.ts';
import { installTools } from './tools.ts';

const say = (text: string) => process.stderr.write(`test:aws: ${text}\n`);

async function run(): Promise<number> {
  const tools = installTools(say);
  if (tools === undefined) {
    const text = 'needs Python 3.10 or newer with its venv module (Debian: apt-get install python3 python3-venv)';
    // Where nobody reads the lines above the counts, a lane that did not run must not look like one that passed.
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

/** Every client of the SDK reads where AWS is from these, as in a function; none is told in code. */
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

// Ended by a signal, it still takes moto and the tests with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await run();
