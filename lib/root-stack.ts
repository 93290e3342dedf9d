/** Finds the root stack of a construct in nested stacks: the one that is deployed and named. */

import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export function rootStackOf(construct: IConstruct): Stack {
  const stack = Stack.of(construct);
  return stack.nestedStackParent === undefined ? stack : rootStackOf(stack.nestedStackParent);
}
