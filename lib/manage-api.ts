/**
 * The HTTP API: whether all is well, and the way out of mails. An API Gateway rather than a function's own URL, for it is
 * open to the world: it bounds how often anybody may ask, so that a flood cannot take the functions that deliver away.
 */

import { Duration, Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { referencesOf } from '../runtime/config/aws-references.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

/** What people do by hand, and their mailboxes for them; nothing here is worth more. */
const THROTTLE = { rateLimit: 10, burstLimit: 20 } as const;

/** Without the path: whoever has a link of a mail can act in its reader's name. */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
});

export class ManageApi extends Construct {
  readonly handler: TidingsFunction;
  readonly api: HttpApi;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: DeploymentSettings }) {
    super(scope, id);
    const { config } = settings.config;
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'manage',
      description: 'Tidings: health, and the pages behind unsubscribe links',
      memorySize: 512,
      // API Gateway waits half a minute at the most; who waits is a person.
      timeout: Duration.seconds(15),
      secrets: referencesOf(config).manage,
    });
    acknowledgeSynchronousCalls(this.handler, 'the API');
    this.api = new HttpApi(this, 'Api', {
      apiName: settings.deployment,
      description: 'Tidings: health, and the way out of mails',
      createDefaultStage: false,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLogs', { ...settings.logs, logGroupName: this.logName(settings.deployment) }),
        ),
        format: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      },
    });
    const integration = new HttpLambdaIntegration('Integration', this.handler);
    // Tells names of resources and errors of scans: for those who may call it, by their signature.
    this.api.addRoutes({
      path: '/health',
      methods: [HttpMethod.GET],
      integration,
      authorizer: new HttpIamAuthorizer(),
    });
    if (config.manage !== undefined) this.openLinks(integration);
  }

  /**
   * Under the path that AWS's own deliveries of logs are open for: any other adds to a policy of the account, which is
   * full after some dozens. With an id of this very stack: one that comes after it finds its own name free.
   */
  private logName(deployment: string): string {
    const id = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    return `/aws/vendedlogs/tidings/${deployment}/${id}`;
  }

  private openLinks(integration: HttpLambdaIntegration): void {
    const routes = [
      ...this.api.addRoutes({
        path: '/unsubscribe/{token}',
        methods: [HttpMethod.GET, HttpMethod.POST],
        integration,
      }),
      ...this.api.addRoutes({ path: '/subscribe/{token}', methods: [HttpMethod.POST], integration }),
    ];
    for (const route of routes) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4':
          'The link in a mail is signed and is all a reader has; mailboxes post to it by themselves.',
      });
    }
  }
}
