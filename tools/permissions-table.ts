/**
 * Generates the table of IAM permissions in docs/security.md from the CloudFormation template, so that it lists what is
 * really deployed. A grant without a description is an error and is never left out.
 */

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  /** @default - unconditional */
  readonly Condition?: Readonly<Record<string, unknown>>;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

interface PolicyProperties extends Policy {
  readonly Roles: readonly { readonly Ref: string }[];
}

interface RoleProperties {
  /** @default - no inline policies */
  readonly Policies?: readonly Policy[];
  /** @default - no managed policies */
  readonly ManagedPolicyArns?: readonly unknown[];
}

interface TemplateResource {
  readonly Type: string;
  /** @default - the defaults of the type */
  readonly Properties?: unknown;
}

/** The part of a template that is read here. */
export interface RolesTemplate {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

/** `describe` gets the capture groups of the pattern. */
type Descriptions = readonly (readonly [pattern: RegExp, describe: (first: string, second: string) => string])[];

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
const ROLES: Descriptions = [
  ...Object.keys(FUNCTION_NAMES).map(
    (construct) => [new RegExp(`^Tidings${construct}FunctionRole`), () => nameOf(construct)] as const,
  ),
  [/^Tidings(Poller|Ticker)EveryMinuteRole/, (construct) => `the schedule of ${nameOf(construct)}`],
  [/^AWSCDKTriggerCustomResourceProvider/, () => 'the deployment, to run `setup`'],
];

/** ARNs as `formatArn` writes them. Only buses and keys may belong to another account. */
const RESOURCES: Descriptions = [
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
  [/^arn:[^:]+:ssm:[^:]+:[^:]+:parameter(\/[^*?]+-)\*$/, (start) => `parameters \`${start}…\``],
  // Secrets Manager appends a dash and six random characters to each name.
  [/^arn:[^:]+:secretsmanager:[^:]+:[^:]+:secret:([^*?]+)-\?{6}$/, (name) => `secret \`${name}\``],
  [/^arn:[^:]+:ses:[^:]+:[^:]+:(identity|configuration-set)\/\*$/, (kind) => `any ${kind.replace('-', ' ')} of SES`],
  [/^arn:[^:]+:events:[^:]+:([^:]+):event-bus\/([^*?]+)$/, (account, name) => describeBus(account, name)],
  [/^arn:[^:]+:kms:[^:]+:[^:]+:key\/[^*?]+$/, () => 'key of parameters and secrets'],
  [/^\*$/, () => 'anything'],
];

function describeBus(account: string, name: string): string {
  return `bus \`${name}\`${account.startsWith('<') ? '' : ` of account ${account}`}`;
}

/** Returns a Markdown table with one row per grant. */
export function generatePermissionsTable(template: RolesTemplate): string {
  const rows = Object.keys(template.Resources)
    .filter((id) => template.Resources[id]?.Type === 'AWS::IAM::Role')
    .map((id) => ({ place: ROLES.findIndex(([pattern]) => pattern.test(id)), id }))
    .toSorted((a, b) => a.place - b.place)
    .flatMap(({ id }) => {
      const role = describe(ROLES, id, 'role');
      const grants = grantsOf(template, id);
      return (grants.length === 0 ? ['nothing'] : grants).map((grant) => `| ${role} | ${grant} |`);
    });
  return ['| role | may |', '|---|---|', ...rows, ''].join('\n');
}

const BEGIN = '<!-- permissions: made from the template by npm run generate -->';
const END = '<!-- end of permissions -->';

/** Replaces the table in a page; the rest of the page is written by hand. */
export function replacePermissions(page: string, table: string): string {
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
    ...mergeGrants(statements),
    ...(own.ManagedPolicyArns ?? []).map((arn) => `AWS’s own policy \`${formatArn(arn).replace(/^.*\//, '')}\``),
  ];
}

/** Merges the actions on the same resource from several statements. */
function mergeGrants(statements: readonly Statement[]): string[] {
  const grants = new Map<string, string[]>();
  for (const { Effect, Action, Resource, Condition } of statements) {
    if (Effect !== 'Allow') throw new Error(`expected grants only, got ${Effect}`);
    const targets = [Resource].flat().map((one) => describe(RESOURCES, formatArn(one), 'resource'));
    const key = `${targets.join(', ')}${describeCondition(Condition)}`;
    const actions = [Action].flat().map((action) => action.replace(/^\w+:/, ''));
    grants.set(key, [...new Set([...(grants.get(key) ?? []), ...actions])]);
  }
  return [...grants].map(([target, actions]) => `${target}: ${actions.join(', ')}`);
}

/** Conditions as JSON. */
const CONDITIONS: Descriptions = [
  [/^\{"StringEquals":\{"ses:FromAddress":"([^"]+)"\}\}$/, (from) => `, as \`${from}\` only`],
  [
    /^\{"ForAllValues:StringEquals":\{"dynamodb:LeadingKeys":\["_tidings#subscription"\]\}\}$/,
    () => ', health of subscriptions only',
  ],
  [
    /^\{"ForAllValues:StringEquals":\{"dynamodb:LeadingKeys":\["sources"\]\}\}$/,
    () => ', sources that are not in the config only',
  ],
];

function describeCondition(condition: Statement['Condition']): string {
  return condition === undefined ? '' : describe(CONDITIONS, JSON.stringify(condition), 'condition');
}

function describe(descriptions: Descriptions, text: string, kind: string): string {
  for (const [pattern, format] of descriptions) {
    const [whole, first = '', second = ''] = pattern.exec(text) ?? [];
    if (whole !== undefined) return format(first, second);
  }
  throw new Error(`expected a ${kind} with a description, got ${text}`);
}

/** Formats an ARN as a string; values known only at deployment are in `<…>`. */
function formatArn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) throw new Error(`expected an ARN, got ${JSON.stringify(value)}`);
  const [[kind, content] = ['', undefined]] = Object.entries(value);
  // The colons of `AWS::Region` would add separators to the ARN.
  if (kind === 'Ref') return `<${String(content).replaceAll(':', '')}>`;
  if (kind === 'Fn::GetAtt') return `<${[content].flat().join('.')}>`;
  if (kind === 'Fn::ImportValue') return `<${formatArn(content)}>`;
  if (kind === 'Fn::Sub') return formatArn(content);
  if (kind === 'Fn::Join' && Array.isArray(content)) return content[1].map(formatArn).join(content[0]);
  throw new Error(`expected an ARN, got ${JSON.stringify(value)}`);
}
