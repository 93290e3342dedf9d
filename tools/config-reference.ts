/** Makes the reference of all options, as Markdown, from the schema: what the docs say is what is checked. */

import { configJsonSchema } from '../runtime/config/schema.ts';

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
}

export function configReference(): string {
  const rows = rowsOf(configJsonSchema() as Node, '');
  return [
    '# Configuration',
    '',
    'Made from the schema by `npm run generate`: edit `runtime/config/schema.ts`, not this page.',
    '',
    'One file, `tidings.yaml` or `tidings.json`. `${NAME}` reads the environment, anywhere. Options marked *secret* are kept',
    'as references and resolved at the moment of use: `${NAME}`, `file:PATH`, or the text itself; they never appear in',
    'errors, logs or output. Durations are whole numbers with a unit: `30s`, `5m`, `6h`, `1d`.',
    '',
    'In an editor that speaks to yaml-language-server, start the file with',
    '`# yaml-language-server: $schema=<path to>/schema/tidings.schema.json` to be helped while typing.',
    '',
    '| option | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function rowsOf(node: Node, path: string): string[] {
  const items = node.type === 'array' ? node.items : undefined;
  if (items?.properties !== undefined) return rowsOf(items, `${path}[]`);
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const required = node.required?.includes(key) === true && child.default === undefined;
    // The options of a source are told once.
    return [row(name, child, required), ...(name === 'sources' ? [] : rowsOf(child, name))];
  });
}

function row(name: string, node: Node, required: boolean): string {
  const isSection = node.properties !== undefined || node.items?.properties !== undefined;
  const fallback = isSection ? '' : node.default === undefined ? (required ? '*required*' : '') : code(node.default);
  return `| \`${name}\` | ${fallback} | ${(node.description ?? '').replaceAll('|', '\\|')} |`;
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
