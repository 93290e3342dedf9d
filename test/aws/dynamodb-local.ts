/**
 * Installs DynamoDB Local, the database by AWS, into its own folder, and starts it in memory. The jars beside this file are
 * pinned with their checksums; that of DynamoDB Local contains its native library for x64 and arm64.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inParallel } from '../../adapters/aws/parallel.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { root } from './tools.ts';

const JARS = join(import.meta.dirname, 'dynamodb-jars.txt');
const FOLDER = join(root, '.lanes/dynamodb');

/** Written last: without it the installation is incomplete. */
const STAMP = join(FOLDER, 'installed');

const MAVEN_CENTRAL = 'https://repo.maven.apache.org/maven2';
const MIN_JAVA = 17;

/** False without a suitable Java. Throws if the installation fails. */
export async function installDynamoDb(say: (text: string) => void): Promise<boolean> {
  if (javaVersion() < MIN_JAVA) return false;
  const list = readFileSync(JARS, 'utf8');
  const wanted = createHash('sha256').update(list).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return true;
  say('installing DynamoDB Local into .lanes/dynamodb, once, about 50 MB');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  await inParallel(lines, async (line) => {
    const [path = '', checksum = ''] = line.split(' ');
    writeFileSync(join(FOLDER, basename(path)), await download(`${MAVEN_CENTRAL}/${path}`, checksum));
  });
  writeFileSync(STAMP, wanted);
  return true;
}

/** 0 without Java. */
function javaVersion(): number {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return status === 0 ? Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) : 0;
}

const DOWNLOAD_TRIES = 3;

async function download(url: string, checksum: string): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
      const content = Buffer.from(await response.arrayBuffer());
      if (createHash('sha256').update(content).digest('hex') !== checksum)
        throw new Error(`${url} has another checksum`);
      return content;
    } catch (error) {
      if (tries === DOWNLOAD_TRIES) throw error;
    }
  }
}

const MAIN_CLASS = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';

/** One database for all regions and credentials. */
export function startDynamoDb(): Promise<LocalServer> {
  return startLocalServer({
    name: 'DynamoDB Local',
    command: 'java',
    argv: (port) => [
      ...['-cp', join(FOLDER, '*'), MAIN_CLASS],
      ...['-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)],
    ],
    probe: '/',
  });
}
