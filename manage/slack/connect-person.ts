/** `connect` and `disconnect`: a person links their own API token, after it was verified to be of the account, and has it forgotten. */

import type { SourceClient } from '../../adapters/sources/definition.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import type { FoundIdentity } from '../../core/ports/source-api.ts';
import { fullName } from '../../core/resources/full-name.ts';
import { accountMark, readAccount } from '../../core/source/account/account.ts';
import { isOfStoredAccount } from '../../core/source/account/account-evidence.ts';
import { fetchIdentity } from '../../core/source/account/identity.ts';
import { removeSubscription } from '../../core/subscriptions/verbs.ts';
import type { SourceConfig } from '../../runtime/config/config.ts';
import { mayNameSources, readMembership } from './authority.ts';
import { code, sayError } from './blocks.ts';
import { findHomePerson } from './home.ts';
import { findDigestsOf } from './home-digest.ts';
import {
  asPerson,
  digestAccounts,
  type FormerLink,
  findSource,
  listLinks,
  removeLinks,
  saveLink,
} from './linked-person.ts';
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
  const { identity, account } = read;
  const name = identity.name ?? null;
  await saveLink(ports, place.user, config, { person: identity.person, name, token: sealed }, account);
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

type ReadToken = { readonly identity: FoundIdentity; readonly account: string } | { readonly problem: string };

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
async function verifyToken({ snapshots, clock }: SlackPorts, api: SourceClient, source: string): Promise<ReadToken> {
  const identity = await fetchIdentity(api);
  if (identity === undefined)
    return { problem: 'the API does not accept it. Copy it again from your profile in the account.' };
  // Before the comparison: the stored records may become those of another account meanwhile.
  const account = accountMark(await readAccount(snapshots, source));
  if (account === undefined) return { problem: 'Tidings has not read the account yet. Try again in an hour.' };
  const isOfAccount = await isOfStoredAccount({ api, snapshots }, source, clock.now());
  // Last: the answer to somebody of another account would confirm the names of people.
  if (isOfAccount === true)
    return (await isStoredPerson(snapshots, source, identity)) ? { identity, account } : { problem: PERSON_UNKNOWN };
  return {
    problem:
      isOfAccount === false
        ? 'it is of another account than the one that Tidings reads.'
        : 'too few of the oldest and newest tasks that it shows were read by Tidings, are older than two days, and have the second of the last change that Tidings has read: five are needed, created on three days and changed in three different seconds. So Tidings cannot tell which account it is of. If the account is new to Tidings, or its tasks are changed all the time, try again in an hour.',
  };
}

const PERSON_UNKNOWN =
  'Tidings has not read its person in the account under this name. If you or your name are new there, try again in an hour.';

/** Whether the account has this person. Where no people are read, nobody knows. */
async function isStoredPerson(
  snapshots: SlackPorts['snapshots'],
  source: string,
  { person, name }: FoundIdentity,
): Promise<boolean> {
  const stored = await snapshots.get({ source, resource: 'person', id: person });
  if (stored !== undefined)
    return stored.deletedAt === null && (name === undefined || fullName(stored.record) === name);
  for await (const { deletedAt } of snapshots.list(source, 'person')) if (deletedAt === null) return false;
  return true;
}

/** The digest of the home ends with the link that showed whose tasks it is about. */
export async function disconnectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { user } = running.task.place;
  // Before they are removed: a repeated run no longer finds them.
  const links: readonly FormerLink[] = JSON.parse(
    await running.step('links', async () => JSON.stringify(await listLinks(ports, user))),
  );
  if (links.length === 0) {
    await replyTo(ports, running, { text: 'No API token of yours is linked.' });
    return;
  }
  await removeLinks(ports, user, links);
  await recordChange(ports, slackAuthor(running), { action: 'person.disconnected', target: `member/${user}` });
  const ended = await endDigests(ports, running, links);
  const digest = ended === 0 ? '' : ' The digest of your tasks has ended: only the token showed which tasks are yours.';
  await replyTo(ports, running, {
    text: `Your API token is forgotten.${digest} If it may be known to others, also replace it in the account.`,
  });
}

/** Those of the person that the member still is, by their mail address, stay. */
async function endDigests(ports: SlackPorts, running: RunningTask, links: readonly FormerLink[]): Promise<number> {
  const { place } = running.task;
  const membership = await readMembership(ports, { ...place, channel: place.user });
  const known = await findHomePerson(ports, place.user, membership);
  const isKnown = ({ source, person }: FormerLink) =>
    known !== undefined && known !== 'ambiguous' && known.source === source && known.id === person;
  const former = links.filter((link) => !isKnown(link)).map(({ person, ...link }) => ({ ...link, id: person }));
  const names: readonly string[] = JSON.parse(
    await running.step('digests', async () => JSON.stringify(await findDigestsOf(ports, place.user, former))),
  );
  for (const name of names) await removeSubscription(ports, slackAuthor(running), name);
  return names.length;
}
