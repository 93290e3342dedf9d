/** `connect` and `disconnect`: a person links their own API token, after it was verified to be of the account, and has it forgotten. */

import type { SourceClient } from '../../adapters/sources/definition.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import type { FoundIdentity } from '../../core/ports/source-api.ts';
import { isOfStoredAccount } from '../../core/source/account/account-evidence.ts';
import { fetchIdentity } from '../../core/source/account/identity.ts';
import type { SourceConfig } from '../../runtime/config/config.ts';
import { mayNameSources } from './authority.ts';
import { code, sayError } from './blocks.ts';
import { asPerson, digestAccounts, findSource, removeLinks, saveLink } from './linked-person.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

/** The form was submitted: verifies the token with the API before it is kept. */
export async function connectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const { sources } = ports.config;
  if (args.accounts !== digestAccounts(sources)) {
    const text = `the accounts were changed while the form was open. Connect again: ${code('/tidings connect')}`;
    await refuse(ports, running, text);
    return;
  }
  const isNamed = sources.length === 1 || (await mayNameSources(ports, place));
  const config = findSource(ports, args.source ?? '');
  const sealed = args.token ?? '';
  const read = config === undefined ? { problem: NOT_OF_ACCOUNT } : await readToken(ports, config, sealed, isNamed);
  if (config === undefined || 'problem' in read) {
    await refuse(ports, running, isNamed && 'problem' in read ? read.problem : NOT_OF_ACCOUNT);
    return;
  }
  const { identity } = read;
  const name = identity.name ?? null;
  await saveLink(ports, place.user, config, { person: identity.person, name, token: sealed });
  await recordChange(ports, slackAuthor(running), {
    action: 'person.connected',
    target: `person/${identity.person}`,
    details: { source: config.name },
  });
  await replyTo(ports, running, {
    text: `Connected as ${code(name ?? `person ${identity.person}`)}. Close task, Move due date and Assign to me now act as you. ${code('/tidings disconnect')} forgets the token.`,
  });
}

/** Whoever may not read the names of the accounts reads the same for each name: guesses reveal none. */
const NOT_OF_ACCOUNT =
  'Tidings reads no account of this name, or the account does not answer, or does not show with this token what Tidings has read. Ask an admin of Tidings.';

const refuse = (ports: SlackPorts, running: RunningTask, problem: string) =>
  replyTo(ports, running, { text: `The token was not kept: ${problem}` });

type ReadToken = { readonly identity: FoundIdentity } | { readonly problem: string };

/** @param mayWait whether the person may learn that the account does not answer now */
async function readToken(
  ports: SlackPorts,
  { name }: Pick<SourceConfig, 'name'>,
  sealed: string,
  mayWait: boolean,
): Promise<ReadToken> {
  const token = await ports.secrets.resolve(sealed);
  try {
    return await asPerson(ports, name, token, (api) => verifyToken(ports, api, name));
  } catch (error) {
    if (error instanceof GiveUp || (error instanceof RetryLater && !mayWait)) return { problem: sayError(error) };
    throw error;
  }
}

/** Whose the token is. At one address there may be many accounts, and each has a person 1. */
async function verifyToken(
  { snapshots, clock }: SlackPorts,
  api: SourceClient,
  source: string,
): Promise<ReadToken> {
  const identity = await fetchIdentity(api);
  if (identity === undefined)
    return { problem: 'the API does not accept it. Copy it again from your profile in the account.' };
  const isOfAccount = await isOfStoredAccount({ api, snapshots }, source, clock.now());
  if (isOfAccount === true) return { identity };
  return {
    problem:
      isOfAccount === false
        ? 'it is of another account than the one that Tidings reads.'
        : 'of the oldest tasks that it shows, fewer than five were read by Tidings and are older than two days, or they were created on fewer than three days, so Tidings cannot tell which account it is of. If the account is new to Tidings, try again in an hour.',
  };
}

export async function disconnectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place } = running.task;
  const removed = await running.step('removed', async () => `${await removeLinks(ports, place.user)}`);
  if (removed !== '0') {
    await recordChange(ports, slackAuthor(running), {
      action: 'person.disconnected',
      target: `member/${place.user}`,
    });
  }
  const text =
    removed === '0'
      ? 'No API token of yours is linked.'
      : 'Your API token is forgotten. If it may be known to others, also replace it in the account.';
  await replyTo(ports, running, { text });
}
