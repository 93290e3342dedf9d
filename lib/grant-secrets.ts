/**
 * Lets a function read the parameters and secrets that a config names, each by its own name, and deliver those that
 * rotations keep.
 */

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
 * IAM takes 10,240 characters of policies in a role and 6,144 in one beside it. CDK moves there what no longer fits,
 * statement by statement: one with a hundred names would fit nowhere. A name has a thousand characters at the very most.
 */
const RESOURCES_PER_STATEMENT = 5;

export function grantSecrets(handler: LambdaFunction, references: readonly string[], keyArn?: string): void {
  const stack = Stack.of(handler);
  const found = references.map(readReference);
  const arns = (store: 'ssm' | 'secret', toArn: (name: string) => string) => [
    ...new Set(found.filter((one) => one.store === store).map(({ name }) => toArn(name))),
  ];
  const parameters = arns('ssm', (name) =>
    stack.formatArn({ service: 'ssm', resource: `parameter${name}`, arnFormat: ArnFormat.NO_RESOURCE_NAME }),
  );
  // Secrets Manager adds a dash and six characters to a name: no more than these are left open.
  const secrets = arns('secret', (name) =>
    stack.formatArn({
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
  // AWS's own keys open for everybody who may read what they lock.
  allow(['kms:Decrypt'], keyArn !== undefined && found.length > 0 ? [keyArn] : []);
}

/**
 * Of `secret:${mine.secretName}` only the deployment knows the name; but where it is kept must be known now. A reference
 * nobody can read would be one that deliver is denied.
 */
function readReference(reference: string): Pick<AwsReference, 'store' | 'name'> {
  const read = awsReference(reference);
  if (read !== undefined) return read;
  const [, store, name] = /^(ssm|secret):([^#*?]+)(?:#.+)?$/.exec(reference) ?? [];
  if (!Token.isUnresolved(name) || name === undefined) throw invalidReferenceError();
  return { store: store === 'ssm' ? 'ssm' : 'secret', name };
}

/**
 * The secrets that the command line makes and keeps for this stack, whatever their names. They are locked with AWS's own
 * key, which needs no permission.
 */
export function grantManagedSecrets(handler: LambdaFunction): void {
  const stack = Stack.of(handler);
  const resourceName = `${managedSecretsPath(rootStackOf(handler).stackName).slice(1)}*`;
  const arn = stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
  handler.addToRolePolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [arn] }));
  acknowledgeNagRules(handler.role ?? handler, {
    [`AwsSolutions-IAM5[Resource::${nagFindingArn(stack, arn)}]`]:
      'Each rotation makes a parameter of its own, and nothing else is kept under this path.',
  });
}
