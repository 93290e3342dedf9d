/**
 * The HTTP API: health, unsubscribe links and the management API. API Gateway instead of a function URL, because the API is public and API
 * Gateway throttles requests: a flood cannot use up the account's Lambda concurrency.
 */

import { Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  DomainName,
  HttpApi,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '../runtime/config/aws-schema.ts';
import type { ApiConfig } from '../runtime/config/config.ts';
import { apiSection, isManagedOverHttp, servesConsole } from '../runtime/config/serves-api.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { manageSize } from './function-sizes.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

/** Requests per second on routes without a limit of their own: /health. */
const THROTTLE = { rateLimit: 10, burstLimit: 20 } as const;

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

export interface ManageApiProps {
  readonly settings: DeploymentSettings;
  /** @default - the domain of API Gateway */
  readonly domain?: { readonly domainName: string; readonly certificateArn: string };
  /** Whether it answers on `domain` only. @default false */
  readonly disableExecuteApiEndpoint?: boolean;
  /** Requests a second on each route. @default - DEFAULT_RATE_LIMITS */
  readonly rateLimits?: RateLimits;
}

export class ManageApi extends Construct {
  readonly handler: TidingsFunction;
  readonly api: HttpApi;
  /** Undefined without a domain of one's own. */
  readonly domain: DomainName | undefined;
  /** The base URL. */
  readonly url: string;
  private readonly stage: HttpStage;
  private readonly rateLimits: Required<RateLimits>;

  constructor(scope: Construct, id: string, props: ManageApiProps) {
    super(scope, id);
    const { settings, domain, disableExecuteApiEndpoint = false, rateLimits = {} } = props;
    this.rateLimits = { ...DEFAULT_RATE_LIMITS, ...rateLimits };
    const { config } = settings.config;
    const api = apiSection(config);
    const isManaged = isManagedOverHttp(config);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'manage',
      description: 'Tidings: health and unsubscribe pages',
      size: manageSize({ isManaged, hasSlack: config.slack !== undefined }),
    });
    acknowledgeSynchronousCalls(this.handler, 'the API');
    this.api = new HttpApi(this, 'Api', {
      apiName: settings.deployment,
      description: 'Tidings: health and unsubscribe links',
      createDefaultStage: false,
      ...(disableExecuteApiEndpoint ? { disableExecuteApiEndpoint } : {}),
    });
    this.domain = domain && this.createDomain(domain);
    // With a domain, because that of API Gateway may be disabled.
    this.url = domain === undefined ? this.api.apiEndpoint : `https://${domain.domainName}`;
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      ...(this.domain === undefined ? {} : { domainMapping: { domainName: this.domain } }),
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

  private createDomain({ domainName, certificateArn }: NonNullable<ManageApiProps['domain']>): DomainName {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    return new DomainName(this, 'Domain', { domainName, certificate });
  }

  /**
   * Limits each of these routes separately: a flood on one does not use up the requests of the others. API Gateway rejects
   * settings of a route that does not exist yet.
   */
  private limitRoutes(name: keyof RateLimits, routes: readonly HttpRoute[]): void {
    const limit = this.rateLimits[name];
    const stage = this.stage.node.defaultChild as CfnStage;
    for (const route of routes) {
      const { routeKey } = route.node.defaultChild as CfnRoute;
      const settings = { ThrottlingRateLimit: limit, ThrottlingBurstLimit: 2 * limit };
      stage.addPropertyOverride(`RouteSettings.${routeKey}`, settings);
      stage.node.addDependency(route);
    }
  }

  /** Browsers sign no requests: the function itself checks the session of each one. */
  private addConsoleRoutes(integration: HttpLambdaIntegration): void {
    const paths = [CONSOLE_PATH, `${CONSOLE_PATH}/{proxy+}`];
    const routes = paths.flatMap((path) =>
      this.api.addRoutes({ path, methods: [HttpMethod.GET, HttpMethod.POST], integration }),
    );
    this.limitRoutes('console', routes);
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
    this.limitRoutes('api', routes);
    if (isIam) return;
    for (const route of routes) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4': 'The function checks the key of each request, whose hash is in the ledger.',
      });
    }
  }

  /** Commands, interactions and events: one URL for all. */
  private addSlackRoute(integration: HttpLambdaIntegration): void {
    const routes = this.api.addRoutes({ path: '/slack', methods: [HttpMethod.POST], integration });
    this.limitRoutes('slack', routes);
    for (const route of routes) {
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
    this.limitRoutes('links', routes);
    for (const route of routes) {
      acknowledgeNagRules(route, {
        'AwsSolutions-APIG4': 'The link in a mail is signed, and mail programs post to it without further credentials.',
      });
    }
  }
}
