/** `npm run generate`: writes the files that are made from the code. A test fails when one of them is stale. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TidingsStack } from '../lib/index.ts';
import { generatedFiles } from './generated-files.ts';
import { permissionsTable, type RolesTemplate, withPermissions } from './permissions-table.ts';

const SECURITY = 'docs/security.md';

/** The page with what the template of the example grants; the rest of it is written by hand. */
function securityPage(): string {
  // Nothing is bundled: a template names its assets whether or not they are made.
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } });
  const { functions } = new TidingsStack(app, 'Tidings', { config: 'examples/aws.yaml', environment: {} });
  const template: object = Template.fromStack(functions).toJSON();
  return withPermissions(readFileSync(SECURITY, 'utf8'), permissionsTable(template as RolesTemplate));
}

for (const [file, content] of Object.entries({ ...(await generatedFiles()), [SECURITY]: securityPage() })) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  process.stdout.write(`${file}\n`);
}
