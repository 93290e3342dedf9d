/** The answers that `tidings init` needs: from options, and from questions for those that are missing. Writes nothing. */

import { isTimeZone } from '../core/model/calendar.ts';
import { errorMessage, UsageError } from '../core/model/errors.ts';
import type { Environment } from '../runtime/config/config.ts';
import type { Ask } from './context.ts';

export interface InitFlags {
  readonly url?: string;
  readonly token?: string;
  readonly tokenEnv?: string;
  readonly zone?: string;
  readonly receiver: readonly string[];
  readonly smtp?: string;
  readonly from?: string;
}

export type InitReceiver =
  | { readonly channel: 'http'; readonly url: string }
  | { readonly channel: 'slack'; readonly webhook: string }
  | { readonly channel: 'email'; readonly to: string };

export interface Answers {
  readonly url: string;
  /** The name of the source kind. @default - the default kind */
  readonly kind?: string;
  /** The token, or the name of the variable that has it. */
  readonly token: { readonly value: string } | { readonly variable: string };
  /** @default - the zone of the token's user */
  readonly zone?: string;
  readonly receivers: readonly InitReceiver[];
  /** @default - no mail is sent */
  readonly mail?: { readonly smtp: string; readonly from: string };
}

/** Used when no other variable is named. */
export const TOKEN_VARIABLE = 'TIDINGS_TOKEN';

/** Throws UsageError with everything that is missing or wrong, if nobody can be asked. */
export async function collectAnswers(flags: InitFlags, environment: Environment, ask?: Ask): Promise<Answers> {
  const problems: string[] = [];
  const given = <T>(option: string, text: string | undefined, read: (text: string) => T): T | undefined => {
    if (text === undefined) return undefined;
    try {
      return read(text.trim());
    } catch (error) {
      problems.push(`${option}: ${errorMessage(error)}`);
      return undefined;
    }
  };
  const options = {
    url: given('--url', flags.url, readUrl),
    token: given('--token', flags.token, readToken),
    variable: given('--token-env', flags.tokenEnv, readVariable),
    zone: given('--zone', flags.zone, readZone),
    receivers: flags.receiver.map((text) => given('--receiver', text, readReceiver)),
    smtp: given('--smtp', flags.smtp, readSmtp),
  };
  failOn(problems);
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  const variable =
    options.variable ?? (options.token === undefined && isSet(TOKEN_VARIABLE) ? TOKEN_VARIABLE : undefined);
  const needsMail = options.receivers.some((one) => one?.channel === 'email');
  if (ask === undefined) {
    if (flags.url === undefined) problems.push('--url: expected the URL of the API');
    if (options.token === undefined && variable === undefined)
      problems.push(`--token-env: expected a variable with the token, or set ${TOKEN_VARIABLE}`);
    if (needsMail && flags.smtp === undefined)
      problems.push('--smtp: expected a mail server, because a receiver is a mail address');
    if (problems.length > 0) problems.push('stdin is not a terminal, so these options are required');
    failOn(problems);
  }
  const questions = ask === undefined ? undefined : questionsWith(ask);
  const url =
    options.url ?? (await questions?.until('URL of the API, such as https://work.example.com/api: ', readUrl));
  const token =
    variable !== undefined
      ? { variable }
      : {
          value:
            options.token ?? (await questions?.until('API token (not shown while you type): ', readToken, true)) ?? '',
        };
  const zone =
    options.zone ??
    (flags.zone === undefined
      ? await questions?.optional("Time zone such as Europe/Berlin (empty: the zone of the token's user): ", readZone)
      : undefined);
  const asked =
    flags.receiver.length > 0
      ? undefined
      : await questions?.optional(
          'Receiver: the URL of a webhook or of a Slack webhook, or a mail address (empty: none yet): ',
          readReceiver,
        );
  const receivers = [...options.receivers, asked].filter((one) => one !== undefined);
  const answers = { url: url ?? '', token, zone, receivers };
  const reader = receivers.find((one) => one.channel === 'email');
  if (reader === undefined) return answers;
  const smtp =
    options.smtp ??
    (await questions?.until(
      'Mail server, such as smtp://user:password@mail.example.com:587 (not shown): ',
      readSmtp,
      true,
    ));
  const sender = flags.from ?? `Tidings <tidings@${reader.to.slice(reader.to.indexOf('@') + 1)}>`;
  return { ...answers, mail: { smtp: smtp ?? '', from: sender } };
}

function failOn(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UsageError(
    'TIDINGS_INIT_INCOMPLETE',
    ['init cannot start', ...problems.map((one) => `  ${one}`)].join('\n'),
  );
}

/** Asks again until the answer is valid. */
function questionsWith(ask: Ask) {
  const until = async <T>(question: string, read: (text: string) => T, hidden = false): Promise<T> => {
    for (let hint = ''; ; ) {
      const answer = (await ask(`${hint}${question}`, { hidden })).trim();
      try {
        return read(answer);
      } catch (error) {
        hint = `${errorMessage(error)}\n`;
      }
    }
  };
  const optional = <T>(question: string, read: (text: string) => T): Promise<T | undefined> =>
    until(question, (text) => (text === '' ? undefined : read(text)));
  return { until, optional };
}

function readUrl(text: string): string {
  if (isUrl(text, ['https:', 'http:'])) return text;
  throw new Error(`expected a URL such as https://work.example.com/api, got '${text}'`);
}

function readToken(text: string): string {
  if (text !== '' && !/\s/.test(text)) return text;
  throw new Error('expected a token without spaces');
}

function readVariable(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text)) return text;
  throw new Error(`expected the name of an environment variable, got '${text}'`);
}

function readZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new Error(`expected an IANA zone such as Europe/Berlin, got '${text}'`);
}

/** May contain a password, which is not shown. */
function readSmtp(text: string): string {
  if (isUrl(text, ['smtp:', 'smtps:'])) return text;
  throw new Error('expected a mail server such as smtp://user:password@mail.example.com:587');
}

/** `slack:URL` names a Slack webhook behind another host. */
function readReceiver(text: string): InitReceiver {
  const [, slack] = /^slack:(https?:\/\/.+)$/.exec(text) ?? [];
  if (slack !== undefined && isUrl(slack, ['https:', 'http:'])) return { channel: 'slack', webhook: slack };
  if (isUrl(text, ['https:', 'http:'])) {
    const isSlack = new URL(text).hostname === 'hooks.slack.com';
    return isSlack ? { channel: 'slack', webhook: text } : { channel: 'http', url: text };
  }
  if (/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text)) return { channel: 'email', to: text };
  throw new Error('expected the URL of a webhook or of a Slack webhook, or a mail address');
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return protocols.includes(URL.parse(text)?.protocol ?? '');
}
