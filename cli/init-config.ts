/** Composes the config and the variables of `.env` from the answers of `tidings init`. Pure. */

import { sourceDefinition } from '../adapters/sources/registry.ts';
import { type Answers, type InitReceiver, TOKEN_VARIABLE } from './init-answers.ts';

export interface InitialSetup {
  /** The text of `tidings.yaml`. */
  readonly config: string;
  /** Names and values for `.env`. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface SetupOptions {
  /** Path or URL of the config's JSON Schema, for editors. */
  readonly schema: string;
  /** Makes the signing secret of a webhook. */
  readonly makeSecret: () => string;
}

export function composeSetup(answers: Answers, { schema, makeSecret }: SetupOptions): InitialSetup {
  const { url, kind, token, zone, receivers, mail } = answers;
  const polled = Object.keys(sourceDefinition(kind).cadences);
  const variables: Record<string, string> = {};
  const keep = (name: string, value: string): string => {
    variables[name] = value;
    return `\${${name}}`;
  };
  const tokenReference = 'variable' in token ? `\${${token.variable}}` : keep(TOKEN_VARIABLE, token.value);
  const subscriptions = receivers.map((receiver, index) => {
    const before = receivers.slice(0, index).filter(({ channel }) => channel === receiver.channel).length;
    return composeSubscription(receiver, before + 1, { keep, makeSecret, polled });
  });
  const sections = [
    [
      `# yaml-language-server: $schema=${schema}`,
      '#',
      '# Variables such as ${NAME} are read from the environment and from .env beside this file. docs/config.md lists all options.',
      'source:',
      ...(kind === undefined ? [] : [`  kind: ${kind}`]),
      `  baseUrl: ${quote(url)}`,
      `  token: ${tokenReference}`,
      zone === undefined
        ? "  # timeZone: Europe/Berlin # default: the zone of the token's user"
        : `  timeZone: ${zone}`,
    ],
    ...(mail === undefined ? [] : [['mail:', `  from: ${quote(mail.from)}`, `  smtp: ${keep('SMTP_URL', mail.smtp)}`]]),
    subscriptions.length === 0 ? NO_SUBSCRIPTIONS : ['subscriptions:', ...subscriptions.flat()],
    ...composeNetwork(receivers),
  ];
  return { config: `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`, variables };
}

/** Valid in YAML, whatever the text contains. */
const quote = (text: string) => JSON.stringify(text);

const NO_SUBSCRIPTIONS = [
  '# No receiver yet: events are recorded but not sent. For example:',
  '# subscriptions:',
  '#   - name: webhook',
  '#     events: [task.overdue, task.closed]',
  '#     to: { http: { url: "https://ops.example.com/tidings", secret: "${WEBHOOK_SECRET}" } }',
  'subscriptions: []',
];

interface Parts {
  readonly keep: (name: string, value: string) => string;
  readonly makeSecret: () => string;
  /** The resources that are polled by default. */
  readonly polled: readonly string[];
}

/** Of what a digest is about; a source may not have all of these resources. */
const DIGEST_EVENTS = ['task.overdue', 'task.due_soon', 'invoice.overdue'];

/** @param number - counts the receivers of this channel, from 1 */
function composeSubscription(
  receiver: InitReceiver,
  number: number,
  { keep, makeSecret, polled }: Parts,
): readonly string[] {
  const named = (name: string) => `  - name: ${name}${number === 1 ? '' : `-${number}`}`;
  const variable = (name: string) => `${name}${number === 1 ? '' : `_${number}`}`;
  if (receiver.channel === 'http')
    return [
      '  # Every event as a signed request. docs/receiving.md shows how to verify it with the secret.',
      named('webhook'),
      '    events: ["*"] # or a list such as [task.overdue, task.closed], see docs/events.md',
      '    to:',
      '      http:',
      `        url: ${quote(receiver.url)}`,
      `        secret: ${keep(variable('WEBHOOK_SECRET'), makeSecret())}`,
    ];
  const to =
    receiver.channel === 'slack'
      ? `slack: { webhook: "${keep(variable('SLACK_WEBHOOK'), receiver.webhook)}" }`
      : `email: { to: [${quote(receiver.to)}] }`;
  return [
    '  # What is overdue or due soon, on weekdays before work.',
    named(receiver.channel === 'slack' ? 'chat' : 'mail'),
    `    events: [${DIGEST_EVENTS.filter((type) => polled.includes(type.slice(0, type.indexOf('.')))).join(', ')}]`,
    '    digest: { at: "08:30", days: [mon, tue, wed, thu, fri] }',
    '    to:',
    `      ${to}`,
  ];
}

/** Receivers on this machine need an exception. The API needs none. */
function composeNetwork(receivers: readonly InitReceiver[]): readonly (readonly string[])[] {
  const urls = receivers.flatMap((one) =>
    one.channel === 'http' ? [new URL(one.url)] : one.channel === 'slack' ? [new URL(one.webhook)] : [],
  );
  const local = urls.filter(({ hostname }) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
  if (local.length === 0) return [];
  const ranges = local.some(({ hostname }) => hostname === '[::1]') ? '"127.0.0.0/8", "::1/128"' : '"127.0.0.0/8"';
  return [
    [
      '# Needed only because a receiver runs on this machine.',
      'network:',
      ...(local.some(({ protocol }) => protocol === 'http:') ? ['  allowHttp: true'] : []),
      `  allow: [${ranges}]`,
    ],
  ];
}
