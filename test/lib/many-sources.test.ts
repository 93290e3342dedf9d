/** The queues of polls: where there may be several sources, and nowhere else. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { allowedTo, EXAMPLE, makeStacks, resourceOf, synthesize, writeManySources } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-many-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = writeManySources(folder, 2);
const { functions } = synthesize(makeStacks({ config }, { outdir: join(folder, 'plain') }));

/** The mappings of the two queues. */
const mappings = (template: Template) =>
  Object.entries(template.findResources('AWS::Lambda::EventSourceMapping'))
    .filter(([id]) => id.startsWith('TidingsPoller'))
    .map(([, { Properties }]) => Properties);

it('two queues invoke poll, with ten sources at once and a limit of executions', () => {
  const batch = { BatchSize: 10, MaximumBatchingWindowInSeconds: 2, ScalingConfig: { MaximumConcurrency: 10 } };
  expect(mappings(functions)).toMatchObject([
    { ...batch, Enabled: true },
    { ...batch, Enabled: true },
  ]);
  for (const name of ['Polls', 'SlowPolls']) {
    expect(resourceOf(functions, 'AWS::SQS::Queue', `TidingsPoller${name}`)).toEqual({
      MessageRetentionPeriod: 180,
      VisibilityTimeout: 300,
      SqsManagedSseEnabled: true,
    });
  }
  const { Environment } = resourceOf(functions, 'AWS::Lambda::Function', 'TidingsPollerFunction') as {
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  };
  expect(Object.keys(Environment.Variables)).toEqual(
    expect.arrayContaining(['TIDINGS_POLL_QUEUE_URL', 'TIDINGS_SLOW_POLL_QUEUE_URL']),
  );
  const allowed = allowedTo(functions, 'Poller');
  expect(allowed['sqs:SendMessage']).toContain('TidingsPollerPolls');
  expect(allowed['sqs:SendMessage']).toContain('TidingsPollerSlowPolls');
  expect(allowed['sqs:ReceiveMessage']).toContain('TidingsPollerSlowPolls');
});

it('an alarm rings when usual polls wait', () => {
  functions.hasResourceProperties('AWS::CloudWatch::Alarm', {
    Threshold: 120,
    AlarmDescription: Match.stringLikeRegexp('Polls wait'),
  });
});

it('one source has none of them, unless people may add others over the API', () => {
  const one = synthesize(makeStacks()).functions;
  expect(mappings(one)).toEqual([]);
  expect(allowedTo(one, 'Poller')['sqs:SendMessage']).not.toContain('Polls');
  const managed = join(folder, 'managed.yaml');
  const example = parse(readFileSync(EXAMPLE, 'utf8'));
  writeFileSync(managed, stringify({ ...example, manage: { ...example.manage, api: { auth: 'keys' } } }));
  const { functions: withApi } = synthesize(makeStacks({ config: managed }, { outdir: join(folder, 'managed') }));
  expect(mappings(withApi)).toHaveLength(2);
});

it('a pause stops them, also while the rest is drained', () => {
  const { functions: draining } = synthesize(
    makeStacks({ config, paused: 'draining' }, { outdir: join(folder, 'paused') }),
  );
  expect(mappings(draining).map(({ Enabled }) => Enabled)).toEqual([false, false]);
});

it('reserved executions are shared by the minute and both queues, and too few are refused', () => {
  const stacks = makeStacks({ config, reservedConcurrency: { poll: 9 } }, { outdir: join(folder, 'reserved') });
  const { functions: reserved } = synthesize(stacks);
  expect(mappings(reserved).map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency)).toEqual([4, 4]);
  const few = makeStacks({ config, reservedConcurrency: { poll: 4 } }, { outdir: join(folder, 'few') });
  expect(() => few.app.synth()).toThrow('reservedConcurrency.poll: expected at least 5 where there may be several');
});

it('pollConcurrency is an option, and cdk-nag finds nothing that is not acknowledged', () => {
  const { app, stack } = makeStacks({ config, pollConcurrency: 40 }, { outdir: join(folder, 'nag') });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  expect(() => app.synth()).not.toThrow();
  const template = Template.fromStack(stack.functions);
  expect(mappings(template).map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency)).toEqual([40, 40]);
});
