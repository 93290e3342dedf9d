/**
 * What the roles of a template may do, as a table in words: one row for each role. Reads a template as CloudFormation gets
 * it, so that it tells what is deployed and not what was meant. A grant it has no word for is an error, never left out.
 */

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  /** @default - granted in any case */
  readonly Condition?: Readonly<Record<string, unknown>>;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

interface PolicyProperties extends Policy {
  readonly Roles: readonly { readonly Ref: string }[];
}

interface RoleProperties {
  /** @default - none in the role itself */
  readonly Policies?: readonly Policy[];
  /** @default - none of AWS’s own */
  readonly ManagedPolicyArns?: readonly unknown[];
}

interface TemplateResource {
  readonly Type: string;
  /** @default - the type's own */
  readonly Properties?: unknown;
}

/** As much as is read of a template. */
export interface RolesTemplate {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

/** `say` gets what the pattern's brackets hold. */
type Words = readonly (readonly [pattern: RegExp, say: (first: string, second: string) => string])[];

const FUNCTION_NAMES: Readonly<Record<string, string>> = {
  Poller: 'poll',
  Ticker: 'tick',
  Announcer: 'announce',
  Deliverer: 'deliver',
  Manage: 'manage',
  Setup: 'setup',
};

const nameOf = (construct: string) => `\`${FUNCTION_NAMES[construct] ?? construct}\``;

/** In the order of the rows. */
const ROLES: Words = [
  ...Object.keys(FUNCTION_NAMES).map(
    (construct) => [new RegExp(`^Tidings${construct}FunctionRole`), () => nameOf(construct)] as const,
  ),
  [/^Tidings(Poller|Ticker)EveryMinuteRole/, (construct) => `the schedule of ${nameOf(construct)}`],
  [/^AWSCDKTriggerCustomResourceProvider/, () => 'the deployment, to run `setup`'],
];

/** ARNs as `textOf` writes them. The account is always this one, except where a bus or a key is named whole. */
const RESOURCES: Words = [
  [/^<[^>]*SnapshotsTable[^>]*StreamArn[^>]*>$/, () => 'stream of snapshots'],
  [/^<[^>]*(Snapshots|Ledger)Table[^>]*>$/, (table) => table.toLowerCase()],
  [
    /^<[^>]*(Snapshots|Ledger)Table[^>]*>\/index\/(\w+)$/,
    (table, index) => `index \`${index}\` of ${table.toLowerCase()}`,
  ],
  [/^<[^>]*DeliveriesQueue[^>]*>$/, () => 'queue of deliveries'],
  [/^<[^>]*DataMissedRuns[^>]*>$/, () => 'queue of missed runs'],
  [/^<[^>]*DataUnannounced[^>]*>$/, () => 'bucket of unannounced records'],
  [/^<[^>]*DataUnannounced[^>]*>\/(.+)\*$/, (start) => `objects \`${start}…\` of the bucket of unannounced records`],
  [/^<Tidings(\w+)FunctionLogs[0-9A-F]{8}\.Arn>$/, (construct) => `log group of ${nameOf(construct)}`],
  [/^<AWSCDKTriggerCustomResourceProvider\w+Logs[0-9A-F]{8}\.Arn>$/, () => 'its own log group'],
  [/^<Tidings(\w+)Function[0-9A-F]{8}\.Arn>$/, (construct) => `function ${nameOf(construct)}`],
  [/^<Tidings(\w+)Function[0-9A-F]{8}\.Arn>:\*$/, (construct) => `versions of function ${nameOf(construct)}`],
  [/^arn:[^:]+:ssm:[^:]+:[^:]+:parameter(\/[^*?]+)$/, (name) => `parameter \`${name}\``],
  [/^arn:[^:]+:ssm:[^:]+:[^:]+:parameter(\/[^*?]+\/)\*$/, (start) => `parameters under \`${start}\``],
  // Secrets Manager adds a dash and six characters of its own to each name.
  [/^arn:[^:]+:secretsmanager:[^:]+:[^:]+:secret:([^*?]+)-\?{6}$/, (name) => `secret \`${name}\``],
  [/^arn:[^:]+:ses:[^:]+:[^:]+:(identity|configuration-set)\/\*$/, (kind) => `any ${kind.replace('-', ' ')} of SES`],
  [/^arn:[^:]+:events:[^:]+:([^:]+):event-bus\/([^*?]+)$/, (account, name) => busInWords(account, name)],
  [/^arn:[^:]+:kms:[^:]+:[^:]+:key\/[^*?]+$/, () => 'key of parameters and secrets'],
  [/^\*$/, () => 'anything'],
];

function busInWords(account: string, name: string): string {
  return `bus \`${name}\`${account.startsWith('<') ? '' : ` of account ${account}`}`;
}

/** Markdown, from its heading row on. */
export function permissionsTable(template: RolesTemplate): string {
  const rows = Object.keys(template.Resources)
    .filter((id) => template.Resources[id]?.Type === 'AWS::IAM::Role')
    .map((id) => ({ place: ROLES.findIndex(([pattern]) => pattern.test(id)), id }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ id }) => `| ${inWords(ROLES, id, 'role')} | ${grantsOf(template, id).join('<br>')} |`);
  return ['| role | may |', '|---|---|', ...rows, ''].join('\n');
}

const BEGIN = '<!-- permissions: made from the template by npm run generate -->';
const END = '<!-- end of permissions -->';

/** The page with its table as it should be; all else of it is written by hand. */
export function withPermissions(page: string, table: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`expected a page with '${BEGIN}' and '${END}'`);
  return `${before}${BEGIN}\n\n${table}\n${END}${after}`;
}

function grantsOf({ Resources }: RolesTemplate, role: string): string[] {
  const own = Resources[role]?.Properties as RoleProperties;
  const attached = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .map(({ Properties }) => Properties as PolicyProperties)
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role));
  const statements = [...(own.Policies ?? []), ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return [
    ...mergedGrants(statements),
    ...(own.ManagedPolicyArns ?? []).map((arn) => `AWS’s own policy \`${textOf(arn).replace(/^.*\//, '')}\``),
  ];
}

/** What may be done to the same thing stands together, though it was granted in several statements. */
function mergedGrants(statements: readonly Statement[]): string[] {
  const grants = new Map<string, string[]>();
  for (const { Effect, Action, Resource, Condition } of statements) {
    if (Effect !== 'Allow') throw new Error(`expected grants only, got ${Effect}`);
    const things = [Resource].flat().map((one) => inWords(RESOURCES, textOf(one), 'resource'));
    const key = `${things.join(', ')}${conditionInWords(Condition)}`;
    const actions = [Action].flat().map((action) => action.replace(/^\w+:/, ''));
    grants.set(key, [...new Set([...(grants.get(key) ?? []), ...actions])]);
  }
  return [...grants].map(([thing, actions]) => `${thing}: ${actions.join(', ')}`);
}

function conditionInWords(condition: Statement['Condition']): string {
  if (condition === undefined) return '';
  const [, from] = /^\{"StringEquals":\{"ses:FromAddress":"([^"]+)"\}\}$/.exec(JSON.stringify(condition)) ?? [];
  if (from === undefined) throw new Error(`expected a condition there is a word for, got ${JSON.stringify(condition)}`);
  return `, as \`${from}\` only`;
}

function inWords(words: Words, text: string, kind: string): string {
  for (const [pattern, say] of words) {
    const [whole, first = '', second = ''] = pattern.exec(text) ?? [];
    if (whole !== undefined) return say(first, second);
  }
  throw new Error(`expected a ${kind} there is a word for, got ${text}`);
}

/** An ARN as one text: what is known only when it is deployed stands in `<…>`. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) throw new Error(`expected an ARN, got ${JSON.stringify(value)}`);
  const [[kind, content] = ['', undefined]] = Object.entries(value);
  // `AWS::Region` would bring colons among those that divide an ARN.
  if (kind === 'Ref') return `<${String(content).replaceAll(':', '')}>`;
  if (kind === 'Fn::GetAtt') return `<${[content].flat().join('.')}>`;
  if (kind === 'Fn::ImportValue') return `<${textOf(content)}>`;
  if (kind === 'Fn::Sub') return textOf(content);
  if (kind === 'Fn::Join' && Array.isArray(content)) return content[1].map(textOf).join(content[0]);
  throw new Error(`expected an ARN, got ${JSON.stringify(value)}`);
}
