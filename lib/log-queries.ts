/** Saved queries of CloudWatch Logs Insights over the logs of all functions: what an operator asks first. */

import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { TidingsFunction } from './tidings-function.ts';

/** Each is edited before it runs: the name in its filter is an example. */
const QUERIES: Readonly<Record<string, ConstructorParameters<typeof QueryString>[0]>> = {
  'One record, from poll to receiver': {
    fields: ['@timestamp', 'function', '@message'],
    filterStatements: ["@message like 'main/task/123 v'"],
    sort: '@timestamp asc',
    limit: 200,
  },
  'One event or delivery': {
    fields: ['@timestamp', 'function', 'message', 'subscription', 'attempt', 'status', 'ms', 'problem.message'],
    filterStatements: ["@message like 'evt_0123456789abcdef'"],
    sort: '@timestamp asc',
    limit: 200,
  },
  'Attempts of a subscription that were not accepted': {
    fields: ['@timestamp', 'message', 'delivery', 'attempt', 'status', 'problem.code', 'problem.message', 'dueAt'],
    filterStatements: ["function = 'deliver'", "subscription = 'ops'", "message != 'accepted'"],
    sort: '@timestamp desc',
    limit: 200,
  },
  'Scans by source: requests and changes': {
    statsStatements: ['count(*) as scans, sum(requests) as requests, sum(changed) as changes by source, resource'],
    filterStatements: ["function = 'poll'", "message = 'scanned'"],
    sort: 'requests desc',
  },
  'Warnings and errors': {
    fields: ['@timestamp', 'function', 'level', 'message', 'error.message', 'error.code'],
    filterStatements: ["level in ['WARN', 'ERROR', 'CRITICAL']"],
    sort: '@timestamp desc',
    limit: 200,
  },
};

/** With the option `tracing`, log lines name the traces of their changes. */
const QUERIES_OF_TRACES: typeof QUERIES = {
  'One trace, from poll to receiver': {
    fields: ['@timestamp', 'function', 'message', 'cycle', 'delivery', 'subscription', 'attempt', 'status', 'ms'],
    filterStatements: ["@message like '0123456789abcdef0123456789abcdef'"],
    sort: '@timestamp asc',
    limit: 200,
  },
};

interface LogQueryOptions {
  /** The folder of the queries in the list. */
  readonly deployment: string;
  readonly isTraced: boolean;
}

export function createLogQueries(
  scope: Construct,
  functions: readonly TidingsFunction[],
  { deployment, isTraced }: LogQueryOptions,
): void {
  for (const [name, query] of Object.entries(isTraced ? { ...QUERIES, ...QUERIES_OF_TRACES } : QUERIES))
    new QueryDefinition(
      scope,
      name.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()),
      {
        queryDefinitionName: `Tidings/${deployment}/${name}`,
        queryString: new QueryString(query),
        logGroups: functions.map(({ logs }) => logs),
      },
    );
}
