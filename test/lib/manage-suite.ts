/** What is open to the world, to whom, and how often. */

import { describe, expect, it } from 'vitest';
import { resourceOf, type Synthesized } from './stacks.ts';

export const manageSuite = ({ functions: template }: Synthesized, without: Synthesized) =>
  describe('Manage', () => {
    const routesOf = ({ functions }: Pick<Synthesized, 'functions'>) =>
      Object.values(functions.findResources('AWS::ApiGatewayV2::Route'))
        .map(({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`)
        .sort();

    it('opens the links of mails to whoever has one, and health to those who may call it', () => {
      expect(routesOf({ functions: template })).toEqual([
        'GET /health AWS_IAM',
        'GET /unsubscribe/{token} NONE',
        'POST /subscribe/{token} NONE',
        'POST /unsubscribe/{token} NONE',
      ]);
    });

    it('opens nothing for links when the config has none', () => {
      expect(routesOf(without)).toEqual(['GET /health AWS_IAM']);
    });

    it('answers so many a second and no more, and logs no link', () => {
      const stage = resourceOf(template, 'AWS::ApiGatewayV2::Stage', 'TidingsManageStage');
      expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 });
      const { Format } = stage.AccessLogSettings as { Format: string };
      expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
      expect(Format).not.toMatch(/\$context\.(path|.*authorizer)/);
    });

    it('tells where it is', () => {
      const [output] = Object.values(
        template.findOutputs('*', {
          Description: 'Health, and where links of mails may lead: manage.url of the config',
        }),
      );
      expect(output?.Value).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^TidingsManageApi/), 'ApiEndpoint'] });
    });
  });
