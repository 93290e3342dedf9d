/** Each option does what it says, and nothing where it is not given. */

import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { DAY } from '../../core/model/time.ts';
import { Tidings } from '../../lib/index.ts';
import { EXAMPLE, resourceOf, type Synthesized } from './stacks.ts';

export const optionsSuite = ({ functions: plain }: Synthesized) =>
  describe('options', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Theirs');
    const tidings = new Tidings(stack, 'News', {
      config: EXAMPLE,
      environment: {},
      removalPolicy: RemovalPolicy.DESTROY,
      logRetention: RetentionDays.ONE_YEAR,
      sourceMaps: true,
      maxConcurrency: 2,
    });
    const template = Template.fromStack(stack);
    const propertiesOf = (type: string) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties);

    it('make one construct in an app of somebody else, with its data beside it', () => {
      template.resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
      expect(Object.keys(template.findOutputs('*'))).toEqual([expect.stringMatching(/^NewsManageUrl/)]);
      expect(stack.resolve(tidings.watch.topic.topicArn)).toEqual({ Ref: expect.stringMatching(/^NewsWatchTopic/) });
      expect(JSON.stringify(template.toJSON())).not.toContain('Fn::ImportValue');
    });

    it('say where the stores are under the name of that stack, and keep rotated secrets under it', () => {
      const [stores, ...others] = propertiesOf('AWS::SSM::Parameter');
      expect(others).toEqual([]);
      expect(stores).toMatchObject({ Name: '/tidings/Theirs/stores', Type: 'String' });
      const [, parts] = stores?.Value['Fn::Join'] ?? [];
      const text = parts.map((part: unknown) => (typeof part === 'string' ? part : 'name')).join('');
      expect(JSON.parse(text)).toEqual({
        snapshotsTable: 'name',
        ledgerTable: 'name',
        queueUrl: 'name',
        retention: 90 * DAY,
      });
      expect(JSON.stringify(propertiesOf('AWS::IAM::Policy'))).toContain(':parameter/tidings/secrets/Theirs/*');
    });

    it('removalPolicy: everything goes, tables without protection', () => {
      const kept = Object.entries(template.toJSON().Resources as Record<string, { DeletionPolicy?: string }>).filter(
        ([, { DeletionPolicy }]) => DeletionPolicy === 'Retain',
      );
      expect(kept.map(([id]) => id)).toEqual([]);
      for (const { Replicas } of propertiesOf('AWS::DynamoDB::GlobalTable')) {
        expect(Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
    });

    it('logRetention: of functions and of the API alike', () => {
      const groups = propertiesOf('AWS::Logs::LogGroup');
      expect(groups).toHaveLength(7);
      expect(new Set(groups.map(({ RetentionInDays }) => RetentionInDays))).toEqual(new Set([365]));
    });

    it('sourceMaps: Node is told to use them, and only then', () => {
      const poll = resourceOf(template, 'AWS::Lambda::Function', 'NewsPollerFunction');
      expect(poll.Environment).toMatchObject({ Variables: { NODE_OPTIONS: '--enable-source-maps' } });
      const without = resourceOf(plain, 'AWS::Lambda::Function', 'TidingsPollerFunction');
      expect(without.Environment).not.toHaveProperty('Variables.NODE_OPTIONS');
    });

    it('maxConcurrency: bounds deliver alone', () => {
      const bounds = propertiesOf('AWS::Lambda::EventSourceMapping').map(({ ScalingConfig }) => ScalingConfig);
      expect(bounds.filter((bound) => bound !== undefined)).toEqual([{ MaximumConcurrency: 2 }]);
      // Reserved room would be taken from an account that may have ten in all.
      for (const { ReservedConcurrentExecutions } of propertiesOf('AWS::Lambda::Function')) {
        expect(ReservedConcurrentExecutions).toBeUndefined();
      }
    });

    it('none of them opens what cdk-nag would be told of in another stack only', () => {
      const acknowledged = tidings.announcer.node
        .findAll()
        .flatMap(({ node }) => node.metadata)
        .map(({ data }) => JSON.stringify(data))
        .filter((data) => data?.includes('aws/lambda/*'));
      expect(acknowledged.join()).toMatch(/Resource::<NewsDataUnannounced\w+\.Arn>\/aws\/lambda\/\*/);
    });
  });
