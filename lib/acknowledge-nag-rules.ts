/** Says why a rule of cdk-nag is left as it is, on the one construct it is about. Findings are acknowledged one by one. */

import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Rule by rule: the reason. */
export function acknowledgeNagRules(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id, reason }));
  Validations.of(construct).acknowledge(...rules);
}
