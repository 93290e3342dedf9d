/**
 * Secrets in AWS: `ssm:/path` in Parameter Store, `secret:name` and `secret:name#key` in Secrets Manager. Each is read
 * with its own request, so that a missing or forbidden one does not affect the others, and then cached for a while.
 */

import { randomBytes } from 'node:crypto';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { type Clock, type Duration, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { SECRET_DENIED, type Secrets } from '../../core/ports/secrets.ts';
import { AwsError, callAws } from '../aws/call.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';

export interface AwsSecretsOptions {
  readonly clock: Clock;
  /** @default - the SDK's own */
  readonly settings?: AwsClientSettings;
  /**
   * How long a secret is cached. A changed secret takes effect after this time, or at once if the receiver refuses the
   * old one. @default 5 min
   */
  readonly keepFor?: Duration;
  /** Path under which new secrets are stored in Parameter Store. @default /tidings/secrets/ */
  readonly prefix?: string;
  /** For one secret, including the SDK's retries. @default 5 s */
  readonly timeout?: Duration;
}

const KEEP_FOR = 5 * MINUTE;
const PREFIX = '/tidings/secrets/';
const TIMEOUT = 5 * SECOND;

/** A promise, so that concurrent callers share one request. */
interface CachedSecret {
  readonly value: Promise<string>;
  readonly until: Instant;
  /** Whether the request is in flight: its value is then fresh by definition. */
  isPending: boolean;
}

export function awsSecrets(options: AwsSecretsOptions): Secrets {
  const { settings, clock, keepFor = KEEP_FOR, prefix = PREFIX, timeout = TIMEOUT } = options;
  let parameterStore: ReturnType<typeof openParameterStore> | undefined;
  let secretsManager: ReturnType<typeof openSecretsManager> | undefined;
  const cache = new Map<string, CachedSecret>();

  const readParameter = async (name: string): Promise<string | undefined> => {
    parameterStore ??= openParameterStore(settings);
    const { client, GetParameterCommand } = await parameterStore;
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    return (await callAws(client, (request) => client.send(command, request), { timeout })).Parameter?.Value;
  };

  const readSecret = async (name: string): Promise<string | undefined> => {
    secretsManager ??= openSecretsManager(settings);
    const { client, GetSecretValueCommand } = await secretsManager;
    const command = new GetSecretValueCommand({ SecretId: name });
    return (await callAws(client, (request) => client.send(command, request), { timeout })).SecretString;
  };

  const read = async ({ service, name }: Reference): Promise<string> => {
    const whole = `${service}:${name}`;
    try {
      return requireText(await (service === 'ssm' ? readParameter(name) : readSecret(name)), whole);
    } catch (error) {
      throw error instanceof AwsError
        ? toSecretError(`'${whole}' could not be read`, 'the role has', error, error.message)
        : error;
    }
  };

  /** A failure is not cached: the next call sends a new request. */
  const readCached = (reference: Reference, fresh: boolean): Promise<string> => {
    const now = clock.now();
    const key = `${reference.service}:${reference.name}`;
    const cached = cache.get(key);
    if (cached !== undefined && (fresh ? cached.isPending : now < cached.until)) return cached.value;
    const entry: CachedSecret = { value: read(reference), until: plus(now, keepFor), isPending: true };
    cache.set(key, entry);
    entry.value.then(
      () => {
        entry.isPending = false;
      },
      () => {
        if (cache.get(key) === entry) cache.delete(key);
      },
    );
    return entry.value;
  };

  return {
    async resolve(text, { fresh = false } = {}) {
      const reference = parseReference(text);
      const value = await readCached(reference, fresh);
      return reference.key === undefined ? value : readKey(value, reference.key, text);
    },

    async keep(name, secret) {
      const path = `${prefix}${name.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}-${randomBytes(4).toString('hex')}`;
      parameterStore ??= openParameterStore(settings);
      const { client, PutParameterCommand } = await parameterStore;
      const command = new PutParameterCommand({
        Name: path,
        Value: secret,
        Type: 'SecureString',
        Description: `Created by Tidings for '${name}'`,
      });
      try {
        await callAws(client, (request) => client.send(command, request), { timeout });
      } catch (error) {
        // Without the service's message, which may quote the secret. Only the CLI stores secrets, hence "your".
        throw error instanceof AwsError
          ? toSecretError(`'ssm:${path}' could not be stored`, 'your credentials have', error, error.awsCode)
          : error;
      }
      return `ssm:${path}`;
    },
  };
}

async function openParameterStore(settings?: AwsClientSettings) {
  const { openSsmClient, ...commands } = await import('./ssm-client.ts');
  return { client: openSsmClient(settings), ...commands };
}

async function openSecretsManager(settings?: AwsClientSettings) {
  const { openSecretsManagerClient, ...commands } = await import('./secrets-manager-client.ts');
  return { client: openSecretsManagerClient(settings), ...commands };
}

interface Reference {
  readonly service: 'ssm' | 'secret';
  readonly name: string;
  /** A key of the secret's JSON. @default - the whole secret */
  readonly key?: string;
}

function parseReference(text: string): Reference {
  const [, parameter] = /^ssm:(.+)$/.exec(text) ?? [];
  if (parameter !== undefined) return { service: 'ssm', name: parameter };
  const [, secret, key] = /^secret:([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  if (secret !== undefined) return { service: 'secret', name: secret, key };
  // Text that is not a reference may be the secret itself.
  throw new GiveUp(
    'TIDINGS_SECRET_UNAVAILABLE',
    'in AWS a secret is ssm:/path, secret:name or secret:name#key; got something else, which is not shown here',
  );
}

function requireText(value: string | undefined, reference: string): string {
  // A secret stored from a file often ends with a line break.
  const text = value?.trim() ?? '';
  if (text === '') throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}': expected text, got none`);
  return text;
}

function readKey(json: string, key: string, reference: string): string {
  const value = readJsonObject(json)?.[key];
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}': expected JSON with text at '${key}', got none`);
}

/** Without the HTTP status of AWS: in the record of an attempt it would be taken for the receiver's. */
function toSecretError(what: string, whoHas: string, { kind }: AwsError, detail: string): Error {
  if (kind === 'throttled' || kind === 'transient')
    return new RetryLater('TIDINGS_SECRET_UNREACHABLE', `${what}: ${detail}`);
  // A new permission takes a moment to propagate, and an operator may still grant a missing one.
  if (kind === 'denied') return new RetryLater(SECRET_DENIED, `${what}: ${whoHas} no permission: ${detail}`);
  return new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `${what}: ${detail}`);
}
