/**
 * Checks the sections of a config beyond their schema: across several values, and of zones, patterns, addresses and what the
 * mode requires. validate-subscription.ts checks each subscription.
 */

import { findAddressTooLong, readMailbox } from '../../adapters/channels/email/mailbox.ts';
import { checkProtocol } from '../../adapters/channels/http/check.ts';
import { isMemberId } from '../../adapters/channels/slack/mentions.ts';
import { isCidrRange } from '../../adapters/http/guard.ts';
import { sourceRegistry } from '../../adapters/sources/registry.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { hasResource } from '../../core/events/custom-events.ts';
import { isTimeZone } from '../../core/model/calendar.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { Mode } from '../../core/model/mode.ts';
import { unpollable } from '../../core/resources/catalogue.ts';
import type { Installation } from './installation.ts';
import { type Path, pathText, problemAt } from './problems.ts';
import type { ReadValue } from './read-parts.ts';
import type { ParsedConfig } from './schema.ts';
import { checkTypes, checkWhere, RENAMED_TO_KNOWN, type ValidatedSubscription } from './validate-subscription.ts';
import { URL_TEXT, ZONE } from './values.ts';

/** The sections of a config as far as they are valid. */
type Sections = NonNullable<ReadValue<ParsedConfig>['parts']>;
type Source = NonNullable<Sections['source']>;

/**
 * The installation that a config file describes, as far as it is valid. It may be meant for another network than this one's,
 * and whether it can send mail is a question of the whole file.
 */
export function installationInFile(
  { parts: sections = {}, isInvalid, isValid }: ReadValue<ParsedConfig>,
  mode: Mode,
  knownSecret: Installation['knownSecret'],
): Installation {
  const { network, customEvents = [], slack } = sections;
  const types = customEvents.flatMap(({ type, meaning } = {}) =>
    type === undefined || meaning === undefined ? [] : [{ type, meaning }],
  );
  return {
    mode,
    customEvents: isValid('customEvents') ? types : undefined,
    network: {
      allowHttp: isValid('network.allowHttp') ? network?.allowHttp : undefined,
      allow: isValid('network.allow') ? network?.allow?.filter((range) => range !== undefined) : undefined,
    },
    refusesPrivateAddresses: mode === 'aws',
    sources: sourcesOf(sections).flatMap(([path, { name, resources = {} }]) => {
      if (name === undefined || !isValid(pathText([...path, 'resources']))) return [];
      const polled = Object.entries(resources).filter(([, section]) => section !== undefined && section !== 'off');
      return [{ name, resources: polled.map(([resource]) => resource) }];
    }),
    hasMail: true,
    hasSlackApp: slack !== undefined || isInvalid('slack'),
    knownSecret,
  };
}

/** What the checks of all sections share. */
interface SectionCheck {
  readonly sections: Sections;
  readonly installation: Installation;
  /** Whether nothing can be said about a path. */
  readonly isInvalid: (path: string) => boolean;
  readonly at: (path: Path, expected: string) => ConfigProblem;
  readonly raw: unknown;
}

/** @param subscriptions all those of the config, for the checks across them */
export function checkSections(
  { parts: sections = {}, isInvalid }: ReadValue<ParsedConfig>,
  subscriptions: readonly ValidatedSubscription[],
  installation: Installation,
  raw: unknown,
): ConfigProblem[] {
  const at = (path: Path, expected: string) => problemAt(raw, path, expected);
  const check: SectionCheck = { sections, installation, isInvalid, at, raw };
  const names = subscriptions.map(({ parts }, index) => [['subscriptions', index, 'name'], parts.name] as const);
  return [
    ...checkSources(check),
    ...checkNetwork(check),
    ...checkCustomEvents(check),
    ...findDuplicates(names),
    ...checkRenames(subscriptions, check),
    ...checkMail(subscriptions, check),
    ...checkManage(check),
    ...checkDomain(check),
    ...checkSlack(check),
    ...checkSlackSecrets(check),
  ].filter(({ path }) => !isInvalid(path));
}

/** The source or sources, each with its path. */
function sourcesOf({ source, sources = [] }: Sections): readonly (readonly [Path, Source])[] {
  if (source !== undefined) return [[['source'], source]];
  return sources.flatMap((one, index) => (one === undefined ? [] : [[['sources', index], one] as const]));
}

function checkSources({ sections, installation, at }: SectionCheck): ConfigProblem[] {
  const { allowHttp = true } = installation.network;
  const sources = sourcesOf(sections);
  const problems = sources.flatMap(([path, { kind, baseUrl = '', timeZone, resources = {} }]) => [
    ...checkKind(path, { kind, baseUrl, resources }, at),
    ...(isSafe(baseUrl, (url) => allowHttp || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
      ? []
      : [at([...path, 'baseUrl'], 'expected an https URL, because every request carries the token')]),
    ...(timeZone === undefined || isTimeZone(timeZone) ? [] : [at([...path, 'timeZone'], ZONE)]),
  ]);
  return [...problems, ...findDuplicates(sources.map(([path, { name }]) => [[...path, 'name'], name] as const))];
}

/** What a source of this kind does not have, and addresses that are not its own. */
function checkKind(
  path: Path,
  { kind, baseUrl = '', resources = {} }: Pick<Source, 'kind' | 'baseUrl' | 'resources'>,
  at: SectionCheck['at'],
): ConfigProblem[] {
  const definition = kind === undefined ? undefined : sourceRegistry.get(kind);
  const url = URL.parse(baseUrl);
  const ofUrl = url === null ? undefined : definition?.findUrlProblem?.(url);
  const isPolled = (section: unknown) => section !== undefined && section !== 'off';
  const lacking = Object.keys(resources).filter(
    (name) => definition?.resources.has(name) === false && isPolled(resources[name]) && !(name in unpollable),
  );
  return [
    ...(ofUrl === undefined ? [] : [at([...path, 'baseUrl'], ofUrl)]),
    ...lacking.map((name) => at([...path, 'resources', name], `expected 'off': ${definition?.title} has no ${name}`)),
  ];
}

/** https, or http where `mayBeHttp` allows it. A URL with unset variables is reported elsewhere. */
function isSafe(text: string, mayBeHttp: (url: URL) => boolean): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol === 'https:') return true;
  return url.protocol === 'http:' && mayBeHttp(url);
}

function checkNetwork({ sections, at }: SectionCheck): ConfigProblem[] {
  return (sections.network?.allow ?? []).flatMap((range, index) =>
    range === undefined || isCidrRange(range)
      ? []
      : [at(['network', 'allow', index], "expected a range such as '10.0.0.0/8' or 'fd00::/8'")],
  );
}

function checkCustomEvents({ sections: { customEvents = [] }, at, raw }: SectionCheck): ConfigProblem[] {
  const problems = customEvents.flatMap((custom, index) => {
    const { type, when = {} } = custom ?? {};
    const path = ['customEvents', index];
    return [
      ...checkWhere(when.before, raw, [...path, 'when', 'before']),
      ...checkWhere(when.after, raw, [...path, 'when', 'after']),
      ...(type === undefined || hasResource(type)
        ? []
        : [at([...path, 'type'], 'expected the name of a resource before the dot')]),
      ...(type === undefined || eventTypeOf(type) === undefined
        ? []
        : [at([...path, 'type'], 'expected a name that is not taken')]),
    ];
  });
  const types = customEvents.map((custom, index) => [['customEvents', index, 'type'], custom?.type] as const);
  return [...problems, ...findDuplicates(types)];
}

/** The embedded mode checks for a mail server when it opens the channel; AWS needs none. */
function checkMail(
  subscriptions: readonly ValidatedSubscription[],
  { sections: { mail }, installation: { mode }, at }: SectionCheck,
): ConfigProblem[] {
  if (mail === undefined) {
    // Identified by index, because its name may be invalid.
    const index = subscriptions.findIndex(({ channel }) => channel?.needs.includes('mail'));
    const keys = mode === 'aws' ? 'from' : 'from and smtp';
    const message = `expected ${keys}, because subscriptions[${index}] sends mail, got nothing`;
    return index === -1 ? [] : [{ path: 'mail', message }];
  }
  const { from } = mail;
  // Unset variables are reported elsewhere.
  if (from === undefined || from.includes('${')) return [];
  const message = findSenderProblem(from);
  return message === undefined ? [] : [at(['mail', 'from'], message)];
}

function findSenderProblem(text: string): string | undefined {
  try {
    return findAddressTooLong(readMailbox(text, '').address);
  } catch {
    const [, address = text] = /<([^<>]*)>/.exec(text) ?? [];
    return findAddressTooLong(address.trim()) ?? "expected a sender such as 'Tidings <tidings@example.com>'";
  }
}

/** Links are signed with HMAC: a shorter secret could be guessed. */
const MIN_SECRET_LENGTH = 16;

function checkManage({ sections: { manage }, installation: { mode, knownSecret }, at }: SectionCheck): ConfigProblem[] {
  if (manage === undefined) return [];
  const secret = manage.secret === undefined ? undefined : knownSecret(manage.secret);
  const isIam = typeof manage.api === 'object' && manage.api.auth === 'iam';
  return [
    // In AWS the stack's API provides the URL.
    ...(mode === 'aws' || manage.url !== undefined ? [] : [at(['manage', 'url'], URL_TEXT)]),
    ...(secret === undefined || secret.length >= MIN_SECRET_LENGTH
      ? []
      : [at(['manage', 'secret'], `expected at least ${MIN_SECRET_LENGTH} characters`)]),
    ...(isIam && mode !== 'aws' ? [at(['manage', 'api', 'auth'], 'expected keys: iam is for AWS')] : []),
  ];
}

/** A domain needs a certificate, and without one the API has no other address. */
function checkDomain({ sections: { aws = {} }, isInvalid, at }: SectionCheck): ConfigProblem[] {
  const { domainName, certificateArn, disableExecuteApiEndpoint } = aws;
  const lacks = (name: string, value: unknown) => value === undefined && !isInvalid(`aws.${name}`);
  return [
    ...(domainName !== undefined && lacks('certificateArn', certificateArn)
      ? [at(['aws', 'certificateArn'], 'expected the ARN of the certificate of aws.domainName')]
      : []),
    ...(certificateArn !== undefined && lacks('domainName', domainName)
      ? [at(['aws', 'domainName'], 'expected the domain of aws.certificateArn')]
      : []),
    ...(disableExecuteApiEndpoint === true && lacks('domainName', domainName)
      ? [
          at(
            ['aws', 'disableExecuteApiEndpoint'],
            'expected false without aws.domainName: the API would have no address',
          ),
        ]
      : []),
  ];
}

function checkSlack({ sections: { slack = {} }, installation, at, raw }: SectionCheck): ConfigProblem[] {
  const { offer = [], admins = [], api = '' } = slack;
  return [
    ...checkTypes(offer, ['slack', 'offer'], installation.customEvents, raw),
    ...admins.flatMap((id, index) =>
      id === undefined || isMemberId(id)
        ? []
        : [at(['slack', 'admins', index], 'expected a member id such as U0123456789')],
    ),
    ...checkProtocol(['api'], api, installation).map(({ message }) => ({ path: 'slack.api', message })),
  ];
}

/** The secrets that the mode requires. */
function checkSlackSecrets({ sections, installation: { mode }, isInvalid }: SectionCheck): ConfigProblem[] {
  const { slack, manage } = sections;
  if (slack === undefined) return [];
  const { signingSecret, appToken } = slack;
  if (mode === 'embedded') {
    if (signingSecret !== undefined || appToken !== undefined) return [];
    if (isInvalid('slack.signingSecret') || isInvalid('slack.appToken')) return [];
    return [{ path: 'slack', message: 'expected appToken for Socket Mode, or signingSecret for requests over HTTP' }];
  }
  const message =
    'expected nothing here: Socket Mode needs a process that always runs, in AWS Slack sends requests over HTTP';
  return [
    ...(signingSecret === undefined
      ? [{ path: 'slack.signingSecret', message: 'expected the signing secret: in AWS Slack sends requests over HTTP' }]
      : []),
    ...(appToken === undefined ? [] : [{ path: 'slack.appToken', message }]),
    ...(manage === undefined && !isInvalid('manage')
      ? [{ path: 'slack', message: 'expected the section manage with a secret, which encrypts the tokens of people' }]
      : []),
  ];
}

/** Each rename is one step: with chains and swaps, the order of the moves would decide where deliveries end up. */
function checkRenames(subscriptions: readonly ValidatedSubscription[], { at }: SectionCheck): ConfigProblem[] {
  const names = new Set(subscriptions.map(({ parts }) => parts.name));
  const renamed = new Set<string>();
  return subscriptions.flatMap(({ parts: { renamedFrom } }, index) => {
    if (renamedFrom === undefined) return [];
    const path = ['subscriptions', index, 'renamedFrom'];
    const isRepeated = renamed.has(renamedFrom);
    renamed.add(renamedFrom);
    if (names.has(renamedFrom)) return [at(path, RENAMED_TO_KNOWN)];
    return isRepeated ? [at(path, 'expected each old name once')] : [];
  });
}

function findDuplicates(names: readonly (readonly [Path, string | undefined])[]): ConfigProblem[] {
  const earlier = new Set<string>();
  return names.flatMap(([path, name]) => {
    if (name === undefined) return [];
    if (earlier.has(name)) return [{ path: pathText(path), message: `expected a unique name, got '${name}' again` }];
    earlier.add(name);
    return [];
  });
}
