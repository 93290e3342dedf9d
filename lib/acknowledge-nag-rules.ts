/** Acknowledges cdk-nag findings on one construct, each with its reason. */

import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** `reasons`: by rule id. */
export function acknowledgeNagRules(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id, reason }));
  Validations.of(construct).acknowledge(...rules);
}
