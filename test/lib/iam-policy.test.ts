/** The policies that the tests of the functions enforce are those of the template: none allows more, none less. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { FUNCTION_NAMES } from '../../runtime/aws/metrics.ts';
import { loadConfigForAws } from '../../runtime/config/load.ts';
import { statementsOf } from '../functions/iam-policy.ts';
import { EXAMPLE, makeStacks, synthesize } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-policy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A config with everything that needs a permission. */
const file = join(folder, 'tidings.yaml');
writeFileSync(
  file,
  `${readFileSync(EXAMPLE, 'utf8')
    .replace('manage: { secret: ssm:/tidings/links }', 'manage: { secret: ssm:/tidings/links, api: {}, console: on }')
    .replace('subscriptions:\n', 'subscriptions:\n  - { name: bus, events: [task.*], to: { bus: { name: news } } }\n')}
slack: { token: ssm:/tidings/slack-token, signingSecret: ssm:/tidings/slack-signing, offer: [task.*] }
`,
);

const CONSTRUCTS = {
  poll: 'Poller',
  tick: 'Ticker',
  announce: 'Announcer',
  deliver: 'Deliverer',
  manage: 'Manage',
  setup: 'Setup',
} as const;

/** Used by Lambda itself on behalf of a function: logs, its stream, its queue and its failed batches. */
const BY_LAMBDA =
  /^(logs|s3|kms):|^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams) |^sqs:(ReceiveMessage|ChangeMessageVisibility|GetQueueUrl|DeleteMessage|GetQueueAttributes) |MissedRuns/;

interface TemplateStatement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, unknown>>;
}

/** `ACTION RESOURCE CONDITION` for each action on each resource. */
function deployed(template: Template, construct: string): string[] {
  const statements = Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith(`Tidings${construct}FunctionRoleDefaultPolicy`))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as TemplateStatement[]);
  return statements
    .flatMap(({ Action, Resource, Condition }) =>
      [Action].flat().flatMap((action) =>
        [Resource].flat().map((resource) => {
          const condition = Condition === undefined ? '' : ` ${JSON.stringify(Object.values(Condition)[0])}`;
          return `${action} ${nameOf(JSON.stringify(resource))}${condition}`;
        }),
      ),
    )
    .filter((text) => !BY_LAMBDA.test(text));
}

/** The resource of an ARN, by the names of this test. */
function nameOf(arn: string): string {
  const [, table, index = ''] = /(Snapshots|Ledger)Table\w*?Arn"\}(?:,"(\/index\/\w+))?/.exec(arn) ?? [];
  if (table !== undefined) return `table/${table.toLowerCase()}${index}`;
  if (arn.includes('DeliveriesQueue')) return 'jobs';
  if (arn.includes('TidingsPollerPolls')) return 'polls';
  if (arn.includes('TidingsPollerSlowPolls')) return 'slow-polls';
  const [, name] = /:((?:parameter|secret:|identity|configuration-set|event-bus)[^"]*)"/.exec(arn) ?? [];
  return name?.replace(/-\?{6}$/, '') ?? arn.replaceAll('"', '');
}

function enforced(name: (typeof FUNCTION_NAMES)[number]): string[] {
  const names = {
    snapshots: 'snapshots',
    ledger: 'ledger',
    queue: 'jobs',
    pollQueues: ['polls', 'slow-polls'],
    stack: 'Tidings',
  };
  const { config } = loadConfigForAws(file, {});
  return statementsOf(name, { config, tracing: 'xray' }, names).flatMap(({ actions, resources, condition }) =>
    actions.flatMap((action) => resources.map((resource) => `${action} ${resource}${describeCondition(condition)}`)),
  );
}

function describeCondition(condition: ReturnType<typeof statementsOf>[number]['condition']): string {
  if (condition === undefined) return '';
  const [first, ...more] = condition.values;
  const values = condition.key === 'ses:FromAddress' && more.length === 0 ? first : condition.values;
  return ` ${JSON.stringify({ [condition.key]: values })}`;
}

describe('the policies of the template', () => {
  const { functions } = synthesize(makeStacks({ config: file, tracing: 'xray' }));

  it.each(FUNCTION_NAMES)('allow %s what its tests allow it', (name) => {
    expect([...new Set(deployed(functions, CONSTRUCTS[name]))].sort()).toEqual([...new Set(enforced(name))].sort());
  });

  it('let manage write only the health of subscriptions to the snapshots', () => {
    const writes = deployed(functions, 'Manage').filter((text) => /Put|Write|Update|Delete/.test(text));
    expect(writes.filter((text) => text.includes('snapshots'))).toEqual([
      'dynamodb:PutItem table/snapshots {"dynamodb:LeadingKeys":["_tidings#subscription"]}',
    ]);
  });
});
