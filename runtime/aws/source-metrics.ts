/** Publishes which sources fail or lag, for the alarms per source. A healthy source has no metric of its own: each would be billed. */

import type { AwsContext } from './context.ts';
import { SOURCE_METRICS } from './environment.ts';
import type { Invocation } from './lambda-handler.ts';

/** What a poll found out about a source. */
export interface SourceCondition {
  readonly source: string;
  readonly isFailing: boolean;
  readonly isLagging: boolean;
}

export function countConditions(
  { environment }: Pick<AwsContext, 'environment'>,
  conditions: readonly SourceCondition[],
  { count, countSource }: Pick<Invocation, 'count' | 'countSource'>,
): void {
  count('failingSources', conditions.filter(({ isFailing }) => isFailing).length);
  if (environment[SOURCE_METRICS] !== 'true') return;
  for (const { source, isFailing, isLagging } of conditions) {
    if (isFailing) countSource?.('sourceFailing', source);
    if (isLagging) countSource?.('sourceLagging', source);
  }
}
