/** Alarms: which there are, when they come, whom they tell, and that the runbook knows each. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../lib/alarm.ts';
import { resourceOf, root, type Synthesized } from './stacks.ts';

export const watchSuite = ({ functions: template }: Synthesized, without: Synthesized) =>
  describe('Watch', () => {
    const alarmsOf = ({ functions }: Pick<Synthesized, 'functions'>) =>
      Object.entries(functions.findResources('AWS::CloudWatch::Alarm'));
    const names = (synthesized: Pick<Synthesized, 'functions'>) =>
      alarmsOf(synthesized).map(([id]) => id.replace(/^TidingsWatch(.*)[0-9A-F]{8}$/, '$1'));
    const alarmOf = (name: string) => resourceOf(template, 'AWS::CloudWatch::Alarm', `TidingsWatch${name}`);
    const metrics = (name: string) => JSON.stringify(alarmOf(name).Metrics ?? alarmOf(name));

    it('has an alarm for each way news can stop', () => {
      const own = ['Poll', 'Tick', 'Announce', 'Deliver', 'Manage', 'Setup'].flatMap((one) => [
        `${one}Errors`,
        `${one}Throttles`,
      ]);
      const flow = [
        'PollHeartbeat',
        'OldestDue',
        'TickHeartbeat',
        'StreamAge',
        'Unannounced',
        'QueueAge',
        'DeadLetters',
        'MissedRuns',
      ];
      expect(names({ functions: template }).sort()).toEqual([...own, ...flow, 'Bounces', 'Complaints'].sort());
    });

    it('minds bounces only where mail is sent', () => {
      expect(names(without)).not.toContain('Bounces');
      expect(names(without)).toContain('PollHeartbeat');
    });

    it.each(['Poll', 'Tick'])('takes silence of %s for bad news', (name) => {
      expect(alarmOf(`${name}Heartbeat`)).toMatchObject({
        TreatMissingData: 'breaching',
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        EvaluationPeriods: 3,
      });
      expect(metrics(`${name}Heartbeat`)).toMatch(/"Period":300/);
    });

    it('comes long before the stream forgets, and when a job waits ten minutes', () => {
      expect(alarmOf('StreamAge')).toMatchObject({ Threshold: 600_000 });
      expect(metrics('StreamAge')).toMatch(/"MetricName":"IteratorAge".*"Stat":"Maximum"/);
      expect(alarmOf('QueueAge')).toMatchObject({ Threshold: 600 });
      expect(metrics('QueueAge')).toMatch(/TidingsDeliveriesQueue.*"MetricName":"ApproximateAgeOfOldestMessage"/);
    });

    it('comes with the first dead letter of each kind', () => {
      for (const name of ['DeadLetters', 'MissedRuns']) {
        expect(alarmOf(name)).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
        expect(metrics(name)).toContain('"MetricName":"ApproximateNumberOfMessagesVisible"');
        expect(metrics(name)).toContain(name);
      }
      expect(alarmOf('Unannounced')).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
      expect(metrics('Unannounced')).toContain('OnFailureDestinationDeliveredEventCount');
      expect(metrics('Unannounced')).toContain('DroppedEventCount');
    });

    it('tells the topic when it comes and when it goes, and names a chapter of the runbook', () => {
      for (const [, { Properties }] of alarmsOf({ functions: template })) {
        expect(Properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^TidingsWatchTopic/) }]);
        expect(Properties.OKActions).toEqual(Properties.AlarmActions);
        const [, chapter] =
          /^\S.+\. https:\/\/runbook\.example\.com\/#([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
        expect(CHAPTERS).toContain(chapter);
      }
    });

    it('links the runbook of the project when it is told of no other', () => {
      for (const [, { Properties }] of alarmsOf(without)) {
        expect(Properties.AlarmDescription).toMatch(/ docs\/runbook\.md#[a-z-]+$/);
      }
    });

    it('has a runbook with each of its chapters', () => {
      const file = join(root, 'docs/runbook.md');
      expect(existsSync(file)).toBe(true);
      const headings = readFileSync(file, 'utf8').match(/^#+ .*$/gm) ?? [];
      const anchors = headings.map((heading) =>
        heading
          .replace(/^#+ /, '')
          .toLowerCase()
          .replaceAll(/[^a-z ]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(anchors).toEqual(expect.arrayContaining([...CHAPTERS]));
    });

    it('is named in the chapter that it links', () => {
      const chapters = readFileSync(join(root, 'docs/runbook.md'), 'utf8').split(/^## /m);
      for (const [id, { Properties }] of alarmsOf({ functions: template })) {
        const [, name] = /^TidingsWatch(.*)[0-9A-F]{8}$/.exec(id) ?? [];
        const [, anchor = ''] = /#([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
        const chapter = chapters.find((one) => one.toLowerCase().startsWith(`${anchor.replaceAll('-', ' ')}\n`));
        expect(chapter).toContain(`\`${name}\``);
      }
    });

    it('has a topic with a key that CloudWatch may use, and that takes nothing without TLS', () => {
      const topic = resourceOf(template, 'AWS::SNS::Topic', 'TidingsWatchTopic');
      expect(topic.KmsMasterKeyId).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^TidingsWatchTopicKey/), 'Arn'] });
      const key = resourceOf(template, 'AWS::KMS::Key', 'TidingsWatchTopicKey');
      expect(key.EnableKeyRotation).toBe(true);
      expect(JSON.stringify(key.KeyPolicy)).toContain('cloudwatch.amazonaws.com');
      const policy = resourceOf(template, 'AWS::SNS::TopicPolicy', 'TidingsWatchTopicPolicy');
      expect(JSON.stringify(policy.PolicyDocument)).toContain('"aws:SecureTransport":"false"');
      // CloudWatch publishes by the topic's own leave as soon as it has a policy.
      expect(JSON.stringify(policy.PolicyDocument)).toContain('"Service":"cloudwatch.amazonaws.com"');
      template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
      without.functions.resourceCountIs('AWS::SNS::Subscription', 0);
    });

    it('draws what flows, what waits and what fails on one page', () => {
      const { DashboardBody } = resourceOf(template, 'AWS::CloudWatch::Dashboard', 'TidingsWatchDashboard');
      const body = JSON.stringify(DashboardBody);
      const titles = [...body.matchAll(/\\"title\\":\\"([^\\]+)\\"/g)].map(([, title]) => title);
      expect(titles).toEqual([
        'Runs that came to their end',
        'From commit to event',
        'Attempts that wait',
        'News',
        'Attempts',
        'From event to acceptance, ms',
        'Put aside',
        'Errors',
        'Throttles',
        'How long the slowest took',
        'Calls',
        'Mail that comes back',
      ]);
    });
  });
