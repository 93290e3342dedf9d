/**
 * The HTTP API: health, unsubscribe links and the management API. API Gateway instead of a function URL, because the API is public and API
 * Gateway throttles requests: a flood cannot use up the account's Lambda concurrency.
 */

import { Duration, Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { referencesOf } from '../runtime/config/aws-references.ts';
import type { ApiConfig } from '../runtime/config/config.ts';
import { apiSection, isManagedOverHttp, servesConsole } from '../runtime/config/serves-api.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

/** Requests per second. Only people and their mail programs use the links. */
const THROTTLE = { rateLimit: 10, burstLimit: 20 } as const;
/** With the management API, each key has a limit of its own. This one is for all of them. */
const API_THROTTLE = { rateLimit: 100, burstLimit: 200 } as const;

/** The same as in console/paths.ts, which functions load. */
const CONSOLE_PATH = '/console';

/** Without the path: an unsubscribe link lets anyone act for the recipient. */
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
    const api = apiSection(config);
    const isManaged = isManagedOverHttp(config);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'manage',
      description: 'Tidings: health and unsubscribe pages',
      // The management API validates requests with the schema of the config.
      // Slack waits three seconds, a cold start included.
      memorySize: isManaged || config.slack !== undefined ? 1024 : 512,
      // API Gateway waits at most 30 s, and a person is waiting.
      timeout: Duration.seconds(isManaged ? 29 : 15),
      secrets: referencesOf(config).manage,
    });
    acknowledgeSynchronousCalls(this.handler, 'the API');
    this.api = new HttpApi(this, 'Api', {
      apiName: settings.deployment,
      description: 'Tidings: health and unsubscribe links',
      createDefaultStage: false,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: isManaged || config.slack !== undefined ? API_THROTTLE : THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLogs', { ...settings.logs, logGroupName: this.accessLogName(settings.deployment) }),
        ),
        format: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      },
    });
    const integration = new HttpLambdaIntegration('Integration', this.handler);
    // The response names resources and scan errors: IAM callers only.
    this.api.addRoutes({
      path: '/health',
      methods: [HttpMethod.GET],
      integration,
      authorizer: new HttpIamAuthorizer(),
    });
    if (config.manage !== undefined) this.addUnsubscribeRoutes(integration);
    if (config.slack !== undefined) this.addSlackRoute(integration);
    if (api !== undefined) this.addApiRoutes(integration, api);
    if (servesConsole(config)) this.addConsoleRoutes(integration);
  }

  /** Browsers sign no requests: the function itself checks the session of each one. */
  private addConsoleRoutes(integration: HttpLambdaIntegration): void {
    const paths = [CONSOLE_PATH, `${CONSOLE_PATH}/{proxy+}`];
    const routes = paths.flatMap((path) =>
      this.api.addRoutes({ path, methods: [HttpMethod.GET, HttpMethod.POST], integration }),
    );
    for (const route of routes) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4': 'The function checks the session of each request, which a single-use link opened.',
      });
    }
  }

  /** The function itself checks the keys. */
  private addApiRoutes(integration: HttpLambdaIntegration, { auth }: ApiConfig): void {
    const isIam = auth === 'iam';
    const routes = this.api.addRoutes({
      path: '/v1/{proxy+}',
      methods: [HttpMethod.ANY],
      integration,
      ...(isIam ? { authorizer: new HttpIamAuthorizer() } : {}),
    });
    if (isIam) return;
    for (const route of routes) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4': 'The function checks the key of each request, whose hash is in the ledger.',
      });
    }
  }

  /** Commands, interactions and events: one URL for all. */
  private addSlackRoute(integration: HttpLambdaIntegration): void {
    for (const route of this.api.addRoutes({ path: '/slack', methods: [HttpMethod.POST], integration })) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4':
          'The function checks the signature of each request, which Slack makes with a shared secret.',
      });
    }
  }

  /**
   * Under /aws/vendedlogs, which AWS's log delivery may write to. Any other path adds to an account-wide resource policy
   * of limited size. The id of the stack makes the name free again for a stack that replaces this one.
   */
  private accessLogName(deployment: string): string {
    const id = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    return `/aws/vendedlogs/tidings/${deployment}/${id}`;
  }

  private addUnsubscribeRoutes(integration: HttpLambdaIntegration): void {
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
        'AwsSolutions-APIG4': 'The link in a mail is signed, and mail programs post to it without further credentials.',
      });
    }
  }
}
