/**
 * Secrets from the environment and from files: `${NAME}` inside a text, `file:PATH`, or the text itself. A secret that is
 * written literally in a config is kept in a file of its own, so that stored subscriptions refer to it as `kept:NAME`.
 */

import { createHmac, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorMessage, GiveUp } from '../../core/model/errors.ts';
import { referencesIn, replaceReferences } from '../../core/model/reference.ts';
import type { Instant } from '../../core/model/time.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export interface LocalSecretsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stores new secrets, each in a file that only its owner can read. */
  readonly directory: string;
}

export interface LocalSecrets extends Required<Secrets> {
  /** The reference to a random secret of this installation, which is made at the first call. */
  keepRandom(name: string): string;
  /** Deletes the files of literal secrets, except those in use and those written or kept again since `before`. */
  deleteLiterals(options: { except(reference: string): boolean; readonly before: Instant }): void;
}

/** Whether a text in place of a secret is the secret itself. */
export function isLiteralSecret(text: string): boolean {
  return !/^(file|ssm|secret|kept|derived|sealed):/.test(text) && referencesIn(text).length === 0;
}

const KEPT = 'kept:';

/** File systems allow 255 bytes. */
const MAX_NAME_LENGTH = 200;

/** The file of a literal secret, or one that a killed process left half-written. Files of `keep` do not match. */
const LITERAL_FILE = /^literal-[\da-f]{16}(\.[\da-f]{8})?$/;

export function localSecrets({ environment, directory }: LocalSecretsOptions): LocalSecrets {
  /** Kept secrets never change, so they are read once. */
  const kept = new Map<string, string>();
  return {
    keepLiteral(secret) {
      const name = `literal-${createHmac('sha256', readOrMakeKey(directory)).update(secret).digest('hex').slice(0, 16)}`;
      const reference = `${KEPT}${name}`;
      const file = join(directory, name);
      if (!existsSync(file)) writePrivately(file, secret);
      else if (!kept.has(reference)) touch(file);
      kept.set(reference, secret);
      return reference;
    },

    keepRandom(name) {
      makeRandomSecret(join(directory, name), directory);
      return `${KEPT}${name}`;
    },

    deleteLiterals({ except, before }) {
      if (!existsSync(directory)) return;
      for (const name of readdirSync(directory).filter((one) => LITERAL_FILE.test(one))) {
        const file = join(directory, name);
        const isOld = (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.parse(before);
        if (isOld && !except(`${KEPT}${name}`)) rmSync(file, { force: true });
      }
    },

    async keep(name, secret) {
      // A name must not lead to another directory.
      const safe = name.replaceAll(/[^A-Za-z0-9_.-]/g, '-').slice(0, MAX_NAME_LENGTH);
      const file = resolve(directory, `${safe}-${randomBytes(4).toString('hex')}`);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      return `file:${file}`;
    },

    /** `fresh` has no effect: a file or variable that may change is read every time. */
    async resolve(reference) {
      const cached = kept.get(reference);
      if (cached !== undefined) return cached;
      if (/^kept:[\w.-]+$/.test(reference)) {
        const secret = await readSecretFile(`file:${join(directory, reference.slice(KEPT.length))}`);
        kept.set(reference, secret);
        return secret;
      }
      if (reference.startsWith('file:')) return readSecretFile(reference);
      if (/^(ssm|secret):/.test(reference)) {
        throw new GiveUp(
          'TIDINGS_SECRET_UNAVAILABLE',
          `'${reference}' can only be resolved in AWS; here, use \${NAME} or file:PATH`,
        );
      }
      return replaceReferences(reference, (_, name) => {
        const value = environment[name];
        if (value === undefined || value === '') {
          throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `the environment variable ${name} is not set`);
        }
        return value;
      });
    },
  };
}

async function readSecretFile(reference: string): Promise<string> {
  // Read every time: a mounted secret may be rotated while we run.
  const text = await readFile(reference.slice('file:'.length), 'utf8').catch((error: unknown) => {
    throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}' could not be read: ${errorMessage(error)}`);
  });
  // A file that is being written is empty for a moment.
  if (text.trim() === '') throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}' is empty`);
  return text.trim();
}

/** The name of a kept secret depends on this key, so that it does not help to guess a short secret. */
function readOrMakeKey(directory: string): string {
  const file = join(directory, 'key');
  makeRandomSecret(file, directory);
  return readFileSync(file, 'utf8').trim();
}

function makeRandomSecret(file: string, directory: string): void {
  if (existsSync(file)) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writePrivately(file, randomBytes(32).toString('hex'));
}

/** Marks a file as in use: its subscription may not be stored yet. A file of another user can be neither marked nor deleted. */
function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {}
}

/** In one step, so that no other process reads half a secret. */
function writePrivately(file: string, secret: string): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
