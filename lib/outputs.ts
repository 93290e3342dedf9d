/** What a deployment says at its end: where links lead, whom to subscribe to alarms, where to look. */

import { Aws, CfnCondition, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ManageApi } from './manage-api.ts';
import type { Monitoring } from './monitoring.ts';

export interface OutputSources {
  readonly manage: ManageApi;
  readonly monitoring: Monitoring;
}

/** Which part of AWS has a console of its own, by where. A mapping would be shorter, and fail in a part it does not know. */
const CONSOLES = [
  { id: 'InChina', partition: 'aws-cn', host: 'console.amazonaws.cn' },
  { id: 'InGovCloud', partition: 'aws-us-gov', host: 'console.amazonaws-us-gov.com' },
  { id: 'InSovereignCloud', partition: 'aws-eusc', host: 'console.amazonaws-eusc.eu' },
] as const;

function consoleHost(scope: Construct): string {
  return CONSOLES.reduce<string>((otherwise, { id, partition, host }) => {
    const there = new CfnCondition(scope, id, { expression: Fn.conditionEquals(Aws.PARTITION, partition) });
    return Fn.conditionIf(there.logicalId, host, otherwise).toString();
  }, 'console.aws.amazon.com');
}

/** `scope` is of the stack that people deploy: what a nested one says, nobody gets to read. */
export function addOutputs(scope: Construct, { manage, monitoring: watch }: OutputSources): void {
  const { region } = Stack.of(scope);
  const { dashboardName } = watch.dashboard;
  const dashboard = `https://${region}.${consoleHost(scope)}/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
  new CfnOutput(scope, 'ManageUrl', {
    value: manage.api.apiEndpoint,
    description: 'Health, and where links of mails lead unless manage.url names another place',
  });
  new CfnOutput(scope, 'AlarmTopic', {
    value: watch.topic.topicArn,
    description: 'Told when an alarm comes and goes: subscribe to it who has to know',
  });
  new CfnOutput(scope, 'DashboardUrl', { value: dashboard, description: 'All graphs on one page' });
}
