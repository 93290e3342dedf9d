/** The pages about deployment: their lists are complete. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awsSchema } from '../../runtime/config/aws-schema.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const PAGES = ['docs/deploy.md', 'docs/runbook.md', 'docs/security.md', 'docs/aws.md'];

describe.each(PAGES)('%s', (page) => {
  it('does not claim that a deployment reverts manual changes, because the same template changes nothing', () => {
    expect(read(page)).not.toMatch(/deploy(ment)? (again, and look|puts? it back)|\? Deploy again|taken away: deploy/);
  });
});

describe('docs/deploy.md', () => {
  const page = read('docs/deploy.md');
  const between = (begin: string, end: string) => page.split(begin)[1]?.split(end)[0] ?? '';

  it('lists every option of the app, and no other', () => {
    const options = [...read('lib/stack-from-context.ts').matchAll(/option\('(\w+)'\)/g)].map(([, name]) => name);
    const rows = [...between('| `-c` |', '\n\n').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows.length).toBeGreaterThan(3);
    expect([...rows].sort()).toEqual([...new Set(options)].sort());
    // Also in examples.
    const used = [...page.matchAll(/-c (\w+)=/g)].map(([, name]) => name);
    expect(rows).toEqual(expect.arrayContaining(used));
  });

  it('deploys one stack with one command', () => {
    for (const one of [...PAGES, 'README.md', 'examples/aws.yaml']) {
      expect([one, read(one).match(/cdk (deploy|diff|destroy)[^`\n]*(--all|TidingsData)/g)]).toEqual([one, null]);
    }
    // Destroying is permanent. To stop temporarily, pause.
    const [, removing = ''] = page.split('\n## Remove\n');
    expect(page.split('cdk destroy')).toHaveLength(removing.split('\n## ')[0]?.split('cdk destroy').length ?? 0);
    for (const other of ['docs/runbook.md', 'docs/security.md']) {
      expect(read(other)).not.toContain('cdk destroy');
      expect(read(other)).toContain('deploy.md#pause');
    }
  });

  it('lists every option of the config section aws, with its default', () => {
    const known = Object.keys(awsSchema.shape).sort();
    const rows = [...between('| `-c` |', '\n\n').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
    expect(rows.filter((name) => name !== 'config').sort()).toEqual(known);
  });

  it('lists every service that the templates use', () => {
    const types = globSync('test/lib/snapshots/*.json', { cwd: root }).flatMap((file) => {
      const resources: Record<string, { readonly Type: string }> = JSON.parse(read(file)).Resources;
      return Object.values(resources).map(({ Type }) => Type);
    });
    const services = types
      .filter((type) => type.startsWith('AWS::'))
      .map((type) => (type.split('::')[1] ?? '').toLowerCase().replace(/v2$/, ''));
    expect(services).toContain('dynamodb');
    // CDK itself calls CloudFormation, and reads a parameter of the bootstrap stack.
    const listed = between('<!-- services -->', '<!-- end of services -->').match(/\w+/g) ?? [];
    expect(listed).toEqual([...new Set([...services, 'cloudformation', 'ssm'])].sort());
  });

  it('has policies that are valid JSON, without wildcard principals', () => {
    const policies = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
    expect(policies.flatMap(({ Statement }) => Statement.map((one: { Action: string }) => one.Action))).toEqual([
      'sts:AssumeRole',
      'sts:AssumeRoleWithWebIdentity',
    ]);
    expect(JSON.stringify(policies)).not.toContain('*');
  });
});
