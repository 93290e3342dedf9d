/**
 * What AWS charges, as data: list prices of one region at one date, with where each was read. Reckons nothing.
 * Free tiers are left out: they differ from account to account, and some end after a year.
 */

export interface Price {
  readonly dollars: number;
  /** For so many of the unit. */
  readonly per: number;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** Where it was read, and of when that was. */
  readonly source: string;
}

export const PRICE_LIST = { region: 'us-east-1', date: '2026-11' } as const;

const MILLION = 1_000_000;
const DYNAMODB = 'aws.amazon.com/dynamodb/pricing, 2026-11';
const LAMBDA = 'aws.amazon.com/lambda/pricing, 2026-11';
const CLOUDWATCH = 'aws.amazon.com/cloudwatch/pricing by signoz.io/guides/cloudwatch-pricing, 2026-02';
const CLOUDWATCH_UNITS = 'aws.amazon.com/cloudwatch/pricing by infracost’s CloudWatch resources';
const SECRETS = 'aws.amazon.com/secrets-manager/pricing by hivebook.wiki, 2026';

export const PRICES = {
  write: { dollars: 0.625, per: MILLION, unit: 'write units', source: DYNAMODB },
  read: { dollars: 0.125, per: MILLION, unit: 'read units', source: DYNAMODB },
  storage: { dollars: 0.25, per: 1, unit: 'GB-months', source: 'aws.amazon.com/dynamodb/pricing' },
  recovery: { dollars: 0.2, per: 1, unit: 'GB-months', source: 'gist.github.com/allenheltondev, of AWS’s list' },
  // Reading a stream is free for Lambda's own pollers.
  stream: { dollars: 0, per: MILLION, unit: 'records', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  lambdaTime: { dollars: 13.3334, per: MILLION, unit: 'GB-seconds (arm)', source: LAMBDA },
  lambdaRequest: { dollars: 0.2, per: MILLION, unit: 'invocations', source: LAMBDA },
  queue: { dollars: 0.4, per: MILLION, unit: 'requests', source: 'aws.amazon.com/sqs/pricing, 2026-11' },
  schedule: {
    dollars: 1,
    per: MILLION,
    unit: 'invocations',
    source: 'cloudburn.io/blog/amazon-eventbridge-pricing, 2026-03',
  },
  mail: { dollars: 0.1, per: 1000, unit: 'mails', source: 'acecloudinterviews.com/tutorials/aws/ses, 2026' },
  logs: { dollars: 0.5, per: 1, unit: 'GB', source: CLOUDWATCH_UNITS },
  logsKept: { dollars: 0.03, per: 1, unit: 'GB-months', source: CLOUDWATCH_UNITS },
  metric: { dollars: 0.3, per: 1, unit: 'metrics', source: CLOUDWATCH },
  alarm: { dollars: 0.1, per: 1, unit: 'alarm metrics', source: CLOUDWATCH_UNITS },
  dashboard: {
    dollars: 3,
    per: 1,
    unit: 'dashboards',
    source: 'factualminds.com/blog/amazon-cloudwatch-pricing-…, 2026-06',
  },
  parameter: { dollars: 0, per: 1, unit: 'parameters', source: 'devcraftly.com/aws/parameter-store (standard tier)' },
  secret: { dollars: 0.4, per: 1, unit: 'secrets', source: SECRETS },
  secretRequest: { dollars: 0.05, per: 10_000, unit: 'requests', source: SECRETS },
  key: { dollars: 1, per: 1, unit: 'keys', source: 'aws.amazon.com/kms/pricing by gist.github.com/dasgoll, 2019' },
  gatewayHour: {
    dollars: 0.045,
    per: 1,
    unit: 'hours',
    source: 'aws.amazon.com/vpc/pricing by basavytix.com/blog/aws-nat-gateway-pricing',
  },
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof PRICES;

export function dollarsFor(name: PriceName, quantity: number): number {
  const { dollars, per }: Price = PRICES[name];
  return (quantity / per) * dollars;
}
