/** Synthesizes the stack of an example with its nested stack, without bundling: the template does not depend on the bundles. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { parse, stringify } from 'yaml';
import { TidingsStack, type TidingsStackProps } from '../../lib/index.ts';

export const root = join(import.meta.dirname, '../..');
export const EXAMPLE = join(root, 'examples/aws.yaml');

/** The context of `cdk`, so that the tests check what is deployed. */
export const CONTEXT: Readonly<Record<string, unknown>> = {
  ...JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context,
  'aws:cdk:bundling-stacks': [],
};

/** An app that does not validate its templates: app.test.ts validates that of the example, as `cdk` does. */
export function newApp(props: AppProps = {}): App {
  return new App({ context: { ...CONTEXT }, builtinCloudFormationValidation: false, ...props });
}

export interface Stacks {
  readonly app: App;
  readonly stack: TidingsStack;
}

export function makeStacks(props: Partial<TidingsStackProps> = {}, appProps: AppProps = {}): Stacks {
  const app = newApp(appProps);
  const stack = new TidingsStack(app, 'Tidings', { config: EXAMPLE, environment: {}, ...props });
  return { app, stack };
}

/** Writes the example with several sources in place of one, and returns the path. */
export function writeManySources(folder: string, count: number): string {
  const { source, ...rest } = parse(readFileSync(EXAMPLE, 'utf8'));
  const sources = Array.from({ length: count }, (_, n) => ({ ...source, name: `account${n}` }));
  const file = join(folder, `sources-${count}.yaml`);
  writeFileSync(file, stringify({ ...rest, sources }));
  return file;
}

export interface Synthesized {
  readonly stacks: Stacks;
  /** The nested stack of functions. */
  readonly functions: Template;
  /** The stack of the data. */
  readonly storage: Template;
}

export function synthesize(stacks: Stacks): Synthesized {
  const { stack } = stacks;
  return { stacks, functions: Template.fromStack(stack.functions), storage: Template.fromStack(stack) };
}

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The permissions of the role of `Poller` etc.: each action with its resources. */
export function allowedTo(template: Template, construct: string): Readonly<Record<string, string>> {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) =>
    id.startsWith(`Tidings${construct}FunctionRoleDefaultPolicy`),
  );
  const statements = policies.flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as Statement[]);
  const allowed: Record<string, string> = {};
  for (const { Action, Resource } of statements) {
    for (const action of [Action].flat()) {
      allowed[String(action)] = [allowed[String(action)], JSON.stringify(Resource)].filter(Boolean).join(' ');
    }
  }
  return allowed;
}

/** The only resource of a type with this prefix of its logical id. */
export function resourceOf(template: Template, type: string, start: string): Resource['Properties'] {
  const found = Object.entries(template.findResources(type)).filter(([id]) => id.startsWith(start));
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`expected one ${type} '${start}…', got ${found.length}`);
  return first[1].Properties;
}
