/** `npm run generate`: writes all generated files. A test fails if a committed one is out of date. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TidingsStack } from '../lib/index.ts';
import { generatedFiles } from './generated-files.ts';
import { generatePermissionsTable, type RolesTemplate, replacePermissions } from './permissions-table.ts';

const SECURITY = 'docs/security.md';

/** The security page with the permissions of the example stack; the rest of the page is written by hand. */
function securityPage(): string {
  // The template does not depend on the bundles, so none are built.
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    context: { ...context, 'aws:cdk:bundling-stacks': [] },
    builtinCloudFormationValidation: false,
  });
  const { functions } = new TidingsStack(app, 'Tidings', { config: 'examples/aws.yaml', environment: {} });
  const template: object = Template.fromStack(functions).toJSON();
  return replacePermissions(readFileSync(SECURITY, 'utf8'), generatePermissionsTable(template as RolesTemplate));
}

for (const [file, content] of Object.entries({ ...(await generatedFiles()), [SECURITY]: securityPage() })) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  process.stdout.write(`${file}\n`);
}
