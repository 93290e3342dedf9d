/** The Slack app in a deployment: its route, its permissions and its code, only if the config has it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleFunction } from '../../lib/bundle.ts';
import { loadConfigForAws } from '../../runtime/config/load.ts';
import { allowedTo, EXAMPLE, makeStacks, synthesize } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-slack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECTION = `
slack:
  token: ssm:/tidings/slack-token
  signingSecret: ssm:/tidings/slack-signing
  offer: [task.*]
`;

const file = join(folder, 'tidings.yaml');
writeFileSync(file, `${readFileSync(EXAMPLE, 'utf8')}${SECTION}`);

describe('the Slack app of a deployment', () => {
  it('has one open route, and the permissions and secrets it needs', () => {
    const { functions } = synthesize(makeStacks({ config: file }));
    const routes = Object.values(functions.findResources('AWS::ApiGatewayV2::Route')).map(
      ({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`,
    );
    expect(routes).toContain('POST /slack NONE');
    const [manage, deliver] = [allowedTo(functions, 'Manage'), allowedTo(functions, 'Deliverer')];
    expect(manage['ssm:GetParameter']).toContain(':parameter/tidings/slack-signing');
    expect(deliver['ssm:GetParameter']).toContain(':parameter/tidings/slack-token');
    expect(deliver['ssm:GetParameter']).not.toContain('slack-signing');
    expect(manage['dynamodb:DeleteItem']).not.toContain('Snapshots');
    expect(Object.keys(manage)).toContain('sqs:SendMessage');
    expect(Object.keys(deliver)).toContain('sqs:SendMessage');
  });

  it('adds its code to manage and deliver, loaded at first use, and to nothing without the section', () => {
    const config = loadConfigForAws(file, {}).text;
    const without = loadConfigForAws(EXAMPLE, {}).text;
    const sizes = (text: string) =>
      (['deliver', 'manage', 'tick'] as const).map((name) =>
        bundleFunction({ name, folder: join(folder, name), config: text }),
      );
    const [deliver, manage, tick] = sizes(config);
    const [plainDeliver, plainManage, plainTick] = sizes(without);
    const grown = (a?: { bytes: number }, b?: { bytes: number }) => ((a?.bytes ?? 0) - (b?.bytes ?? 0)) / 1024;
    expect(grown(deliver, plainDeliver)).toBeGreaterThan(30);
    expect(grown(manage, plainManage)).toBeGreaterThan(30);
    expect(grown(tick, plainTick)).toBeLessThan(2);
    const started = ((deliver?.startBytes ?? 0) - (plainDeliver?.startBytes ?? 0)) / 1024;
    expect(started).toBeLessThan(44);
  });
});
