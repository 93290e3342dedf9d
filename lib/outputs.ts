/** The outputs of the stack: API URL, alarm topic and dashboard URL. */

import { Aws, CfnCondition, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ManageApi } from './manage-api.ts';
import type { Monitoring } from './monitoring.ts';

export interface OutputSources {
  readonly manage: ManageApi;
  readonly monitoring: Monitoring;
}

/** Partitions with their own console. A CfnMapping would be shorter, but fails in a partition it does not list. */
const CONSOLES = [
  { id: 'InChina', partition: 'aws-cn', host: 'console.amazonaws.cn' },
  { id: 'InGovCloud', partition: 'aws-us-gov', host: 'console.amazonaws-us-gov.com' },
  { id: 'InSovereignCloud', partition: 'aws-eusc', host: 'console.amazonaws-eusc.eu' },
] as const;

function consoleHost(scope: Construct): string {
  return CONSOLES.reduce<string>((fallback, { id, partition, host }) => {
    const condition = new CfnCondition(scope, id, { expression: Fn.conditionEquals(Aws.PARTITION, partition) });
    return Fn.conditionIf(condition.logicalId, host, fallback).toString();
  }, 'console.aws.amazon.com');
}

/** `scope` must be in the root stack: outputs of a nested stack are not shown after a deployment. */
export function addOutputs(scope: Construct, { manage, monitoring }: OutputSources): void {
  const { region } = Stack.of(scope);
  const { dashboardName } = monitoring.dashboard;
  const dashboard = `https://${region}.${consoleHost(scope)}/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
  new CfnOutput(scope, 'ManageUrl', {
    value: manage.url,
    description:
      'Base URL of the API: health, unsubscribe links unless manage.url is set, /v1 with manage.api, and /console with manage.console',
  });
  if (manage.domain !== undefined) {
    new CfnOutput(scope, 'DomainTarget', {
      value: manage.domain.regionalDomainName,
      description: 'What the DNS record of the domain points to: a CNAME, or an alias in Route 53',
    });
  }
  new CfnOutput(scope, 'AlarmTopic', {
    value: monitoring.topic.topicArn,
    description: 'SNS topic of the alarms: subscribe the people on call',
  });
  new CfnOutput(scope, 'DashboardUrl', { value: dashboard, description: 'CloudWatch dashboard' });
}
