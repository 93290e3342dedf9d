/** Secrets on Parameter Store and Secrets Manager. */

import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, SecretsManagerClient, UpdateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { DescribeParametersCommand, GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, describe, expect, it } from 'vitest';
import { awsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import { failureOf } from '../adapters/aws/aws-server.ts';
import { NOON } from '../samples.ts';

const ssm = new SSMClient();
const secretsManager = new SecretsManagerClient();
afterAll(() => {
  ssm.destroy();
  secretsManager.destroy();
});

let now = NOON;
const open = () =>
  awsSecrets({
    clock: { now: () => now },
    prefix: `/tidings/${randomUUID()}/`,
  });

async function parameter(Value: string): Promise<string> {
  const Name = `/tidings/${randomUUID()}`;
  await ssm.send(new PutParameterCommand({ Name, Value, Type: 'SecureString' }));
  return Name;
}

describe('a secret in AWS', () => {
  it('is decrypted from Parameter Store', async () => {
    expect(await open().resolve(`ssm:${await parameter('the-token')}`)).toBe('the-token');
  });

  it('is read from Secrets Manager, by name or ARN, as a whole or by key', async () => {
    const Name = `tidings/${randomUUID()}`;
    const SecretString = JSON.stringify({ webhook: 'https://hooks.example.com/x', token: 'other' });
    const { ARN } = await secretsManager.send(new CreateSecretCommand({ Name, SecretString }));
    const secrets = open();
    expect(await secrets.resolve(`secret:${Name}`)).toBe(SecretString);
    expect(await secrets.resolve(`secret:${Name}#webhook`)).toBe('https://hooks.example.com/x');
    expect(await secrets.resolve(`secret:${ARN}#token`)).toBe('other');
  });

  it('is read again after its cached value expired', async () => {
    const Name = `tidings/${randomUUID()}`;
    await secretsManager.send(new CreateSecretCommand({ Name, SecretString: 'old' }));
    const secrets = open();
    now = NOON;
    expect(await secrets.resolve(`secret:${Name}`)).toBe('old');
    await secretsManager.send(new UpdateSecretCommand({ SecretId: Name, SecretString: 'new' }));
    expect(await secrets.resolve(`secret:${Name}`)).toBe('old');
    now = plus(NOON, 5 * MINUTE);
    expect(await secrets.resolve(`secret:${Name}`)).toBe('new');
  });

  it('that does not exist is reported by name, and is found once it exists', async () => {
    const secrets = open();
    const Name = `tidings/${randomUUID()}`;
    for (const reference of [`ssm:/${Name}`, `secret:${Name}`]) {
      const error = await failureOf(secrets.resolve(reference));
      expect(error).toBeInstanceOf(GiveUp);
      expect(error.message).toContain(`'${reference}' could not be read`);
    }
    await secretsManager.send(new CreateSecretCommand({ Name, SecretString: 'here' }));
    expect(await secrets.resolve(`secret:${Name}`)).toBe('here');
  });
});

describe('a new secret', () => {
  it('is stored encrypted with a description, and can be read by its reference', async () => {
    const secrets = open();
    const reference = await secrets.keep("Zoë's hook/1", 'whsec_abc');
    expect(await secrets.resolve(reference)).toBe('whsec_abc');
    const Name = reference.slice('ssm:'.length);
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name }));
    expect(Parameter?.Type).toBe('SecureString');
    expect(Parameter?.Value).not.toBe('whsec_abc');
    const ParameterFilters = [{ Key: 'Name', Values: [Name] }];
    const { Parameters = [] } = await ssm.send(new DescribeParametersCommand({ ParameterFilters }));
    expect(Parameters[0]?.Description).toBe("Created by Tidings for 'Zoë's hook/1'");
  });

  it('does not overwrite an existing one', async () => {
    const secrets = open();
    const references = [await secrets.keep('ops', 'one'), await secrets.keep('ops', 'two')];
    expect(await Promise.all(references.map((reference) => secrets.resolve(reference)))).toEqual(['one', 'two']);
  });
});
