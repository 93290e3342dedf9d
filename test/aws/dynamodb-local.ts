/**
 * Installs DynamoDB Local, the database by AWS, into its own folder, and starts it in memory. Maven fetches it with its
 * dependencies; its jar contains its native library for x64 and arm64.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { root } from './tools.ts';

const FOLDER = join(root, '.lanes/dynamodb');

/** Written last: without it the installation is incomplete. */
const STAMP = join(FOLDER, 'installed');

const VERSION = '2.6.1';
const MIN_JAVA = 17;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tidings</groupId>
  <artifactId>dynamodb-local</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** False without a suitable Java and Maven. Throws if the installation fails. */
export function installDynamoDb(say: (text: string) => void): boolean {
  if (javaVersion() < MIN_JAVA) return false;
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === VERSION) return true;
  if (spawnSync('mvn', ['--version'], { stdio: 'ignore' }).status !== 0) return false;
  say('installing DynamoDB Local into .lanes/dynamodb, once, about 50 MB');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'pom.xml'), POM);
  const argv = ['--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=.'];
  const { status } = spawnSync('mvn', argv, { cwd: FOLDER, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`mvn ${argv.join(' ')} failed with exit code ${status}`);
  writeFileSync(STAMP, VERSION);
  return true;
}

/** 0 without Java. */
function javaVersion(): number {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return status === 0 ? Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) : 0;
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
