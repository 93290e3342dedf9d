/** The stack that people deploy and name, however deep the one is that a construct lives in. */

import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export function rootStackOf(construct: IConstruct): Stack {
  const stack = Stack.of(construct);
  return stack.nestedStackParent === undefined ? stack : rootStackOf(stack.nestedStackParent);
}
