/** Grants a function read access to the parameters and secrets that the config references, and to those created by the CLI. */

import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { managedSecretsPath } from '../runtime/aws/deployed-stores.ts';
import { invalidReferenceError } from '../runtime/aws/deployment-errors.ts';
import { type AwsReference, awsReference } from '../runtime/config/aws-reference.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { nagFindingArn } from './nag-finding-arn.ts';
import { rootStackOf } from './root-stack.ts';

/**
 * IAM allows 10,240 characters of inline policies per role and 6,144 per managed policy. CDK moves whole statements to
 * managed policies when they exceed the limit, so a statement must stay small. A name has up to 1,000 characters.
 */
const RESOURCES_PER_STATEMENT = 5;

export function grantSecrets(handler: LambdaFunction, references: readonly string[], keyArn?: string): void {
  const stack = Stack.of(handler);
  const parsed = references.map(readReference);
  const arns = (store: 'ssm' | 'secret', toArn: (name: string) => string) => [
    ...new Set(parsed.filter((one) => one.store === store).map(({ name }) => toArn(name))),
  ];
  const parameters = arns('ssm', (name) =>
    isArn(name)
      ? name
      : stack.formatArn({ service: 'ssm', resource: `parameter${name}`, arnFormat: ArnFormat.NO_RESOURCE_NAME }),
  );
  // Secrets Manager adds a dash and six random characters to the name.
  const secrets = arns('secret', (name) =>
    isArn(name)
      ? name
      : stack.formatArn({
          service: 'secretsmanager',
          resource: 'secret',
          resourceName: `${name}-??????`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  );
  const allow = (actions: string[], resources: string[]) => {
    for (let from = 0; from < resources.length; from += RESOURCES_PER_STATEMENT) {
      handler.addToRolePolicy(
        new PolicyStatement({ actions, resources: resources.slice(from, from + RESOURCES_PER_STATEMENT) }),
      );
    }
  };
  allow(['ssm:GetParameter'], parameters);
  allow(['secretsmanager:GetSecretValue'], secrets);
  // AWS managed keys need no grant.
  allow(['kms:Decrypt'], keyArn !== undefined && parsed.length > 0 ? [keyArn] : []);
}

/** An ARN is the whole of a name: that of a secret has the six characters. */
const isArn = (name: string) => !Token.isUnresolved(name) && name.startsWith('arn:');

/** The name may be a CDK token, as in `secret:${mine.secretName}`, but the store must be known at synthesis. */
function readReference(reference: string): Pick<AwsReference, 'store' | 'name'> {
  const read = awsReference(reference);
  if (read !== undefined) return read;
  const [, store, name] = /^(ssm|secret):([^#*?]+)(?:#.+)?$/.exec(reference) ?? [];
  if (!Token.isUnresolved(name) || name === undefined) throw invalidReferenceError();
  return { store: store === 'ssm' ? 'ssm' : 'secret', name };
}

/** Secrets that the CLI creates for this stack, such as rotated ones. The AWS managed key encrypts them and needs no grant. */
export function grantManagedSecrets(handler: LambdaFunction, start = ''): void {
  const stack = Stack.of(handler);
  const resourceName = `${managedSecretsPath(rootStackOf(handler).stackName).slice(1)}${start}*`;
  const arn = stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
  handler.addToRolePolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [arn] }));
  acknowledgeNagRules(handler.role ?? handler, {
    [`AwsSolutions-IAM5[Resource::${nagFindingArn(stack, arn)}]`]:
      'Each rotation and each source creates a parameter of its own, and nothing else is stored under this path.',
  });
}
