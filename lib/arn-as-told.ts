/** An ARN of this account and region as cdk-nag writes it in a finding: what only the deployment knows by its name in brackets. */

import type { Stack } from 'aws-cdk-lib';

export function arnAsTold(stack: Stack, service: string, resource: string): string {
  const [partition, region, account] = [stack.partition, stack.region, stack.account].map((part) => {
    const known = stack.resolve(part);
    return typeof known === 'string' ? known : `<${known.Ref}>`;
  });
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
