/**
 * An ARN as cdk-nag writes it in a finding: what only the deployment knows stands by its name. Of one in another stack that
 * name is settled when the app is prepared, no earlier.
 */

import type { Stack } from 'aws-cdk-lib';

export function nagFindingArn(stack: Stack, arn: string): string {
  return formatValue(stack.resolve(arn));
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[kind, content] = ['', undefined]] = Object.entries(Object(value));
  if (kind === 'Ref') return `<${content}>`;
  if (kind === 'Fn::GetAtt' && Array.isArray(content)) return `<${content.join('.')}>`;
  if (kind === 'Fn::Join' && Array.isArray(content)) return content[1].map(formatValue).join(content[0]);
  // The name of an export of another stack.
  if (kind === 'Fn::ImportValue') return formatValue(content);
  // It has no shorter word for anything else, an output of another stack among it.
  return JSON.stringify(value);
}
