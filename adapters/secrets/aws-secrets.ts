/**
 * Secrets from AWS: `ssm:/path` from Parameter Store, `secret:name` and `secret:name#key` from Secrets Manager. Each is
 * asked for by itself, so that one that is missing or forbidden takes no other with it, and then kept for a while.
 */

import { randomBytes } from 'node:crypto';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { type Clock, type Duration, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { SECRET_DENIED, type Secrets } from '../../core/ports/secrets.ts';
import { AwsFault, callAws } from '../aws/call.ts';
import { type By, type JsonServiceOptions, jsonService } from '../aws/json-service.ts';
import { parameterStore } from '../aws/parameter-store.ts';

/** Where the services are. */
export interface SecretEndpoints {
  /** @default - AWS's own of the client's region */
  readonly ssm?: string | undefined;
  /** @default - AWS's own of the client's region */
  readonly secretsManager?: string | undefined;
}

export interface AwsSecretsOptions {
  /** Lends its credentials, region and connections. */
  readonly client: JsonServiceOptions['client'];
  readonly clock: Clock;
  /** @default - AWS's own */
  readonly endpoints?: SecretEndpoints;
  /**
   * How long a secret is used before it is asked for again: a change is seen after this long at the most, and at once where
   * the old one is refused. @default 5 min
   */
  readonly keepFor?: Duration;
  /** Where new secrets are put in Parameter Store. @default /tidings/secrets/ */
  readonly prefix?: string;
  /** For one request, the SDK's own retries included. @default 5 s */
  readonly timeout?: Duration;
}

const KEEP_FOR = 5 * MINUTE;
const PREFIX = '/tidings/secrets/';
const TIMEOUT = 5 * SECOND;

/** A promise, so that many who ask at once ask once. */
interface Kept {
  readonly value: Promise<string>;
  readonly until: Instant;
  /** Whether it is still being asked for: then it is as fresh as can be. */
  isAsked: boolean;
}

export function awsSecrets(options: AwsSecretsOptions): Secrets {
  const { client, endpoints, clock, keepFor = KEEP_FOR, prefix = PREFIX, timeout = TIMEOUT } = options;
  const parameters = parameterStore({ client, endpoint: endpoints?.ssm });
  const service = 'secretsmanager';
  const secretsManager = jsonService({ client, service, target: service, endpoint: endpoints?.secretsManager });
  const kept = new Map<string, Kept>();

  const readParameter = (name: string, reference: string): Promise<string | undefined> =>
    ask(`'${reference}'`, () => callAws((by) => parameters.get(name, by), { timeout }));

  const readSecret = async (name: string, reference: string): Promise<string | undefined> => {
    const get = (by: By) => secretsManager('GetSecretValue', { SecretId: name }, by);
    const { body } = await ask(`'${reference}'`, () => callAws(get, { timeout }));
    return typeof body.SecretString === 'string' ? body.SecretString : undefined;
  };

  /** A failure is not kept: the next one asks again. */
  const remembered = (name: string, fresh: boolean, read: () => Promise<string>): Promise<string> => {
    const now = clock.now();
    const known = kept.get(name);
    if (known !== undefined && (fresh ? known.isAsked : now < known.until)) return known.value;
    const asked: Kept = { value: read(), until: plus(now, keepFor), isAsked: true };
    kept.set(name, asked);
    asked.value.then(
      () => {
        asked.isAsked = false;
      },
      () => {
        if (kept.get(name) === asked) kept.delete(name);
      },
    );
    return asked.value;
  };

  return {
    async resolve(reference, { fresh = false } = {}) {
      const { service, name, key } = readReference(reference);
      const whole = `${service}:${name}`;
      const read = service === 'ssm' ? readParameter : readSecret;
      const value = await remembered(whole, fresh, async () => filled(await read(name, whole), whole));
      return key === undefined ? value : keyOf(value, key, reference);
    },

    async keep(name, secret) {
      const path = `${prefix}${name.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}-${randomBytes(4).toString('hex')}`;
      const parameter = { name: path, value: secret, description: `Made by Tidings for '${name}'` };
      // A refusal may repeat what was sent.
      await ask(`'ssm:${path}'`, () => callAws((by) => parameters.put(parameter, by), { timeout }), 'keep');
      return `ssm:${path}`;
    },
  };
}

interface Reference {
  readonly service: 'ssm' | 'secret';
  readonly name: string;
  /** A key of the secret's JSON. @default - all of it */
  readonly key?: string;
}

function readReference(reference: string): Reference {
  const [, parameter] = /^ssm:(.+)$/.exec(reference) ?? [];
  if (parameter !== undefined) return { service: 'ssm', name: parameter };
  const [, secret, key] = /^secret:([^#]+)(?:#(.+))?$/.exec(reference) ?? [];
  if (secret !== undefined) return { service: 'secret', name: secret, ...(key === undefined ? {} : { key }) };
  // What is no reference may be the secret itself.
  throw new GiveUp(
    'TIDINGS_SECRET_UNAVAILABLE',
    'in AWS a secret is ssm:/path, secret:name or secret:name#key; got something else, which is not shown here',
  );
}

function filled(value: string | undefined, reference: string): string {
  // A line's end that came in with a file is no part of it.
  const text = value?.trim() ?? '';
  if (text === '') throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}': expected text, got none`);
  return text;
}

function keyOf(json: string, key: string, reference: string): string {
  const value = readJsonObject(json)?.[key];
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}': expected JSON with text at '${key}', got none`);
}

async function ask<Answer>(what: string, send: () => Promise<Answer>, verb: 'have' | 'keep' = 'have'): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof AwsFault)) throw error;
    if (verb === 'have') throw judge(`${what} cannot be had`, 'the role has', error, error.message);
    // Only ever at the wish of a person, with credentials of their own.
    throw judge(`${what} cannot be kept`, 'your credentials have', error, error.fault);
  }
}

/** Without the status of AWS's answer: in the record of an attempt it would be read as the receiver's. */
function judge(what: string, whoHas: string, { trouble }: AwsFault, words: string): Error {
  if (trouble === 'throttled' || trouble === 'passing')
    return new RetryLater('TIDINGS_SECRET_UNREACHABLE', `${what} right now: ${words}`);
  // Given a moment ago, a right is not known everywhere in AWS yet; and a person may still give it.
  if (trouble === 'denied') return new RetryLater(SECRET_DENIED, `${what}: ${whoHas} no right to it: ${words}`);
  return new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `${what}: ${words}`);
}
