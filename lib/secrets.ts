/**
 * Lets a function read the parameters and secrets that a config names, each by its own name, and deliver those that
 * rotations keep.
 */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { keptSecrets } from '../runtime/aws-place.ts';
import { awsReference } from '../runtime/config/aws-reference.ts';
import { acknowledge } from './acknowledge.ts';
import { arnAsTold } from './arn-as-told.ts';
import { rootStackOf } from './root-stack.ts';

export function grantSecrets(handler: LambdaFunction, references: readonly string[], keyArn?: string): void {
  const stack = Stack.of(handler);
  const found = references.flatMap((reference) => awsReference(reference) ?? []);
  const arns = (store: 'ssm' | 'secret', toArn: (name: string) => string) => [
    ...new Set(found.filter((one) => one.store === store).map(({ name }) => toArn(name))),
  ];
  const parameters = arns('ssm', (name) =>
    stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
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
    if (resources.length > 0) handler.addToRolePolicy(new PolicyStatement({ actions, resources }));
  };
  allow(['ssm:GetParameter'], parameters);
  allow(['secretsmanager:GetSecretValue'], secrets);
  // AWS's own keys open for everybody who may read what they lock.
  allow(['kms:Decrypt'], keyArn !== undefined && found.length > 0 ? [keyArn] : []);
}

/**
 * The secrets that the command line makes and keeps for this stack, whatever their names. They are locked with AWS's own
 * key, which needs no permission.
 */
export function grantKeptSecrets(handler: LambdaFunction): void {
  const stack = Stack.of(handler);
  const resourceName = `${keptSecrets(rootStackOf(handler).stackName).slice(1)}*`;
  const arn = stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
  handler.addToRolePolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [arn] }));
  acknowledge(handler.role ?? handler, {
    [`AwsSolutions-IAM5[Resource::${arnAsTold(stack, arn)}]`]:
      'Each rotation makes a parameter of its own, and nothing else is kept under this path.',
  });
}
