/** The public API: its routes, who may call them, and its rate limit. */

import { describe, expect, it } from 'vitest';
import { resourceOf, type Synthesized } from './stacks.ts';

export const manageSuite = ({ functions: template, storage }: Synthesized, without: Synthesized) =>
  describe('Manage', () => {
    const routesOf = ({ functions }: Pick<Synthesized, 'functions'>) =>
      Object.values(functions.findResources('AWS::ApiGatewayV2::Route'))
        .map(({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`)
        .sort();

    it('has public unsubscribe links, and a health route for IAM callers', () => {
      expect(routesOf({ functions: template })).toEqual([
        'GET /health AWS_IAM',
        'GET /unsubscribe/{token} NONE',
        'POST /subscribe/{token} NONE',
        'POST /unsubscribe/{token} NONE',
      ]);
    });

    it('has no unsubscribe routes without manage in the config', () => {
      expect(routesOf(without)).toEqual(['GET /health AWS_IAM']);
    });

    it('throttles requests, and logs no links', () => {
      const stage = resourceOf(template, 'AWS::ApiGatewayV2::Stage', 'TidingsManageStage');
      expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 });
      const { Format } = stage.AccessLogSettings as { Format: string };
      expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
      expect(Format).not.toMatch(/\$context\.(path|.*authorizer)/);
    });

    it('writes its access log under /aws/vendedlogs, with a unique name', () => {
      const { LogGroupName } = resourceOf(template, 'AWS::Logs::LogGroup', 'TidingsManageAccessLogs');
      const id = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
      expect(LogGroupName).toEqual({ 'Fn::Join': ['', ['/aws/vendedlogs/tidings/Tidings/', id]] });
      expect(resourceOf(template, 'AWS::ApiGatewayV2::Api', 'TidingsManageApi').Name).toBe('Tidings');
    });

    it('has outputs for its URL, the alarm topic and the dashboard', () => {
      const outputs = storage.toJSON().Outputs;
      const reference = (what: string) => ({
        'Fn::GetAtt': [expect.stringMatching(/^FunctionsNestedStack/), expect.stringMatching(new RegExp(what))],
      });
      expect(Object.keys(outputs)).toEqual(['ManageUrl', 'AlarmTopic', 'DashboardUrl']);
      expect(outputs.ManageUrl.Value).toEqual(reference('ManageApi\\w+ApiEndpoint$'));
      expect(outputs.AlarmTopic.Value).toEqual(reference('WatchTopic\\w+Ref$'));
      const [, parts] = outputs.DashboardUrl.Value['Fn::Join'];
      const host = (condition: string, there: string, otherwise: unknown) => ({
        'Fn::If': [condition, there, otherwise],
      });
      const china = host('InChina', 'console.amazonaws.cn', 'console.aws.amazon.com');
      const gov = host('InGovCloud', 'console.amazonaws-us-gov.com', china);
      expect(parts.slice(0, 5)).toEqual([
        'https://',
        { Ref: 'AWS::Region' },
        '.',
        host('InSovereignCloud', 'console.amazonaws-eusc.eu', gov),
        '/cloudwatch/home?region=',
      ]);
      expect(parts.at(-1)).toEqual(reference('WatchDashboard\\w+Ref$'));
    });
  });
