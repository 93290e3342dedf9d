/** `connect` and `disconnect`: a person links their own API token, after it was verified to be of the account, and has it forgotten. */

import type { SourceClient } from '../../adapters/sources/definition.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import type { FoundIdentity } from '../../core/ports/source-api.ts';
import { isOfStoredAccount } from '../../core/source/account/account-evidence.ts';
import { fetchIdentity } from '../../core/source/account/identity.ts';
import { code, sayError } from './blocks.ts';
import { asPerson, digestAccounts, findSource, removeLinks, saveLink } from './linked-person.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

/** The form was submitted: verifies the token with the API before it is kept. */
export async function connectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const source = args.source ?? '';
  const sealed = args.token ?? '';
  const config = findSource(ports, source);
  if (config === undefined || args.accounts !== digestAccounts(ports.config.sources)) {
    await replyTo(ports, running, {
      text: `The token was not kept: the accounts were changed while the form was open. Connect again: ${code('/tidings connect')}`,
    });
    return;
  }
  const token = await ports.secrets.resolve(sealed);
  let read: Awaited<ReturnType<typeof readToken>>;
  try {
    read = await asPerson(ports, source, token, (api) => readToken(ports, api, source));
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    await replyTo(ports, running, { text: `The token was not kept: ${sayError(error)}` });
    return;
  }
  if ('problem' in read) {
    await replyTo(ports, running, { text: `The token was not kept: ${read.problem}` });
    return;
  }
  const { identity } = read;
  const name = identity.name ?? null;
  await saveLink(ports, place.user, config, { person: identity.person, name, token: sealed });
  await recordChange(ports, slackAuthor(running), {
    action: 'person.connected',
    target: `person/${identity.person}`,
    details: { source },
  });
  await replyTo(ports, running, {
    text: `Connected as ${code(name ?? `person ${identity.person}`)}. Close task, Move due date and Assign to me now act as you. ${code('/tidings disconnect')} forgets the token.`,
  });
}

/** Whose the token is. At one address there may be many accounts, and each has a person 1. */
async function readToken(
  { snapshots, clock }: SlackPorts,
  api: SourceClient,
  source: string,
): Promise<{ readonly identity: FoundIdentity } | { readonly problem: string }> {
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
