import { describe, expect, it } from 'vitest';
import { initialScanState } from '../../core/model/scan.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { getSourceStatuses } from '../../runtime/inspect/status.ts';
import { narrate } from '../../runtime/terminal/narrate.ts';
import { terminal } from '../../runtime/terminal/terminal.ts';
import { describeService } from '../../service/describe-service.ts';
import { NOON } from '../samples.ts';

const config = parseConfig(
  'tidings.yaml',
  `
source:
  baseUrl: https://work.example.com/api
  token: a-token
  resources: { invoice: off, person: off, client: off, expense: off, document: off, group: off, projectmodule: off }
`,
  {},
);

const scanned = { ...initialScanState('main', 'task'), baselinedAt: NOON, lastGoodScanAt: NOON, lastSweepAt: NOON };
const stores = {
  scanStates: { get: async (_: string, resource: string) => (resource === 'task' ? scanned : undefined) },
  snapshots: { get: async () => undefined },
} as unknown as Parameters<typeof getSourceStatuses>[0];

describe('describeService', () => {
  it('says of each resource how often it is scanned and when next', async () => {
    const now = plus(NOON, MINUTE);
    const sources = await getSourceStatuses(stores, config, now);
    const description = { config, sources, data: '.tidings', url: 'http://127.0.0.1:4020', servesApi: true, now };
    expect(describeService(description)).toEqual([
      'source         main at https://work.example.com/api',
      '               task     changes every 5 min, all records every 6 h  next scan in 4 min',
      '               project  all records every 1 h                       next scan now',
      "times          UTC, because the account's zone is not known yet",
      'data           .tidings',
      'health         http://127.0.0.1:4020/health',
      'metrics        http://127.0.0.1:4020/metrics',
      'API            http://127.0.0.1:4020/v1/docs; make a key with: tidings keys add NAME --scope operate',
      'no subscriptions: events are recorded but not sent',
    ]);
    expect(describeService({ ...description, servesApi: false }).join()).not.toContain('API');
    expect(describeService(description).join()).not.toContain('console');
    const link = 'http://127.0.0.1:4020/console/log-in?token=x';
    expect(describeService({ ...description, console: link })).toContain(`console        ${link}`);
  });
});

describe('narrate', () => {
  it('says after a baseline when the next scan is', () => {
    let text = '';
    const stream = { write: (more: string) => (text += more) };
    const { scanned } = narrate(terminal(stream, stream, {}), { now: () => NOON }, config.sources);
    const report = { source: 'main', kind: 'sweep', seen: 60, created: 60, changed: 0, deleted: 0 } as const;
    const rest = { skipped: 0, complete: true, requests: 1 } as const;
    scanned({ ...report, ...rest, resource: 'task', baseline: true });
    scanned({ ...report, ...rest, resource: 'task', baseline: false, skipped: 1 });
    expect(text).toMatch(/no events sent \(1 request\); next scan in 5 min\n/);
    expect(text.match(/next scan/g)).toHaveLength(1);
  });
});
