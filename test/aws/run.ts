/**
 * `npm run test:aws`: tests the adapters and the pipeline against DynamoDB Local by AWS and, for all other services, moto, an
 * independent emulator; and the templates with cfn-lint and checkov. Installs them beside the project, starts both servers, and runs the tests.
 */

import { spawn } from 'node:child_process';
import { installDynamoDb, startDynamoDb } from './dynamodb-local.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { installTools, type Tools } from './tools.ts';

const say = (text: string) => process.stderr.write(`test:aws: ${text}\n`);

/** In CI, tests that did not run must not look like tests that passed. */
const isCi = (process.env.CI ?? '') !== '';

async function run(): Promise<number> {
  const tools = await installTools(say);
  if (tools === undefined) {
    const text = 'needs Python 3.10 or newer with its venv module (Debian: apt-get install python3 python3-venv)';
    say(isCi ? `failed: it ${text}` : `did not run: it ${text}; nothing was tested`);
    return isCi ? 1 : 0;
  }
  const given = process.env.AWS_ENDPOINT_URL;
  if (given !== undefined && given !== '') {
    say(`on ${given}`);
    return runTests({ AWS_ENDPOINT_URL: given });
  }
  const hasDynamoDb = installDynamoDb(say);
  if (!hasDynamoDb) {
    const text = 'DynamoDB Local needs Java 17 or newer and Maven (Debian: apt-get install default-jre-headless maven)';
    say(isCi ? `failed: ${text}` : `${text}; the tables are on moto, and nothing was tested on DynamoDB Local`);
    if (isCi) return 1;
  }
  const servers: LocalServer[] = [];
  try {
    const moto = await startMoto(tools);
    servers.push(moto);
    say(`on moto at ${moto.endpoint}`);
    if (!hasDynamoDb) return await runTests({ AWS_ENDPOINT_URL: moto.endpoint });
    const dynamodb = await startDynamoDb();
    servers.push(dynamodb);
    say(`tables on DynamoDB Local at ${dynamodb.endpoint}`);
    return await runTests({ AWS_ENDPOINT_URL: moto.endpoint, AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint });
  } finally {
    for (const server of servers) await server.stop();
  }
}

function startMoto({ motoServer }: Tools): Promise<LocalServer> {
  const argv = (port: number) => ['-H', '127.0.0.1', '-p', String(port)];
  return startLocalServer({ name: 'moto', command: motoServer, argv, probe: '/moto-api/data.json' });
}

interface Endpoints {
  readonly AWS_ENDPOINT_URL: string;
  /** @default - the same as of the other services */
  readonly AWS_ENDPOINT_URL_DYNAMODB?: string;
}

/** The SDK's clients read endpoints, region and credentials from these variables, as in a function. */
function runTests(endpoints: Endpoints): Promise<number> {
  const env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...process.env,
    ...endpoints,
  };
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.aws.config.ts', ...process.argv.slice(2)];
  const child = spawn(process.execPath, argv, { env, stdio: 'inherit' });
  process.once('exit', () => child.kill());
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

// A signal also ends the servers and the tests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await run();
