/**
 * Formats an ARN the way cdk-nag does in a finding: CloudFormation references appear by name. A reference to another stack
 * gets its name only when the app is prepared.
 */

import type { Stack } from 'aws-cdk-lib';

export function nagFindingArn(stack: Stack, arn: string): string {
  return formatValue(stack.resolve(arn));
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const entries: [string, unknown][] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [[kind, content] = ['', undefined]] = entries;
  if (kind === 'Ref') return `<${content}>`;
  if (kind === 'Fn::GetAtt' && Array.isArray(content)) return `<${content.join('.')}>`;
  if (kind === 'Fn::Join' && Array.isArray(content)) return content[1].map(formatValue).join(content[0]);
  // An export of another stack.
  if (kind === 'Fn::ImportValue') return formatValue(content);
  // cdk-nag prints everything else as JSON, including outputs of another stack.
  return JSON.stringify(value);
}
