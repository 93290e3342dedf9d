/** One small month reckoned by hand, figure by figure: literals on purpose, so that a formula cannot agree with itself. */

import { describe, expect, it } from 'vitest';
import { sayPrice } from '../../../cli/cost.ts';
import { costConfigOf } from '../../../runtime/cost/config.ts';
import { estimate } from '../../../runtime/cost/cost.ts';

const off = { invoice: 'off', project: 'off', client: 'off', person: 'off', expense: 'off', document: 'off' };
const small = costConfigOf(
  'small.yaml',
  {
    source: {
      baseUrl: 'https://work.example.com/api',
      token: 'secret:tidings#token',
      resources: { ...off, group: 'off', projectmodule: 'off', task: { every: '1h', sweep: '1d' } },
    },
    retention: '60d',
  },
  {},
);

/** 24 deltas and a sweep a day; ten changes a day for two receivers each: all of them come alone. */
const account = { records: { task: 5400 }, others: 0, changesADay: 10, deliveriesPerEvent: 2 };

const estimated = estimate(small, account);
const rows = new Map(estimated.lines.map((line) => [line.component, line]));

describe('a small month', () => {
  // 43,200 minutes, 720 deltas, 30 sweeps of 5,400, 300 changes, 300 batches of the stream, 600 deliveries.
  it.each([
    // Looking: 720 × 3 + 30 × 3. Changes: 300 × 2 found, 300 × 4 parts, 300 timelines, 300 × 2.52, 600 × (2.16 + 2).
    ['DynamoDB writes', 2250 + 600 + 1200 + 300 + 756 + 2496],
    // Looking: 43,200 × (1 + 4), 720 × 3, 30 × 4, 162,000 / 16,000. Changes: 300 found, 300 again, 300 swept, the
    // fingerprints of all sweeps 162,000 / 180, 300 × 1.5, 300 batches of the queue × 2, 600 delivered.
    ['DynamoDB reads', 216_000 + 2160 + 120 + 10.125 + 300 + 300 + 300 + 900 + 450 + 600 + 600],
    // Records, and two months of events and deliveries.
    ['DynamoDB storage', (5400 * 1080 + 2 * (300 * 1400 + 600 * 540)) / 1e9],
    ['DynamoDB recovery', (5400 * 1080 + 2 * (300 * 1400 + 600 * 540)) / 1e9],
    ['DynamoDB stream', 300],
    // Requests a day: 24 deltas, 48 counts, a sweep of 2 + 2 pages; and 25 readings of the quota.
    ['Lambda poll', 43_200 * 0.05 + 30 * (24 + 48 + 4 + 25) * 2 + 300 * 0.01],
    ['Lambda tick', 43_200 * 0.05 * 0.5],
    ['Lambda announce', 300 * 0.1 + 900 * 0.01],
    ['Lambda deliver', (300 * 0.5 + 600 * 0.01) * 0.5],
    ['Lambda calls', 86_400 + 300 + 300],
    ['SQS', 43_200 * 15 + 3 * 300],
    ['EventBridge Scheduler', 86_400],
    ['SES', 0],
    ['CloudWatch logs', (87_000 * 1500 + 750 * 500 + 300 * 300 + 600 * 400) / 1e9],
    ['CloudWatch logs kept', (87_000 * 1500 + 750 * 500 + 300 * 300 + 600 * 400) / 1e9],
    ['SSM parameters', 0],
    ['Secrets Manager', 1],
    ['Secrets Manager reads', 17_280],
  ])('takes of %s what is on the back of the envelope', (component, quantity) => {
    expect(rows.get(component)?.quantity).toBeCloseTo(quantity, 6);
  });

  it.each([
    ['DynamoDB writes', 0.00475125],
    ['EventBridge Scheduler', 0.0864],
    ['SQS', 0.25956],
    ['Secrets Manager reads', 0.0864],
    ['CloudWatch metrics', 3],
    ['CloudWatch alarms', 2.5],
    ['CloudWatch dashboard', 3],
    ['KMS key of the alarms', 1],
  ])('costs for %s so many dollars', (component, dollars) => {
    expect(rows.get(component)?.dollars).toBeCloseTo(dollars, 8);
  });

  it('looks for pennies, where others would read and write everything', () => {
    // 2,250 writes and 218,290 reads.
    expect(estimated.looking).toBeCloseTo(0.00140625 + 0.027286265625, 8);
    // 720 looks at 5,400 records: 3,888,000.
    expect(estimated.naive.map(({ dollars }) => Number(dollars.toFixed(3)))).toEqual([0.243, 0.486, 4.86, 32.4]);
  });
});

describe('a price', () => {
  it('is told with its cents, and with as many digits as it has', () => {
    const price = (dollars: number, per: number, unit = 'things') =>
      sayPrice({ dollars, per, unit, source: 'x.example' });
    expect(price(1, 1)).toBe('$1.00 each');
    expect(price(0.625, 1_000_000)).toBe('$0.625 a million');
    expect(price(13.3334, 1_000_000)).toBe('$13.3334 a million');
    expect(price(0.05, 10_000)).toBe('$0.05 for 10,000');
    expect(price(0.25, 1, 'GB-months')).toBe('$0.25 each GB');
    expect(price(0, 1)).toBe('free');
  });
});
