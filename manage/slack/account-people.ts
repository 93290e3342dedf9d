/**
 * Who a member of Slack is in the accounts: by the linked token, by a mail address that Slack does not call unconfirmed, or by the `mentions`
 * of subscriptions.
 */

import { isAddressConfirmed } from '../../adapters/channels/slack/direct-message.ts';
import { findMemberId } from '../../adapters/channels/slack/mentions.ts';
import { jsonObjectOf } from '../../core/model/json.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { fullName } from '../../core/resources/full-name.ts';
import { findLinkedPerson } from './linked-person.ts';
import type { SlackPorts } from './slack-ports.ts';

/** A person of an account. */
export interface AccountPerson {
  readonly source: string;
  readonly id: string;
  /** Null if the account has none. */
  readonly name: string | null;
  /** Whether it is the person of the linked token, which leaves no doubt. */
  readonly isLinked: boolean;
  /** The subscriptions whose `mentions` say that it is the member. @default - the linked token or the mail address says so, to all */
  readonly onlyIn?: readonly string[];
}

export type Mentions = Readonly<Record<string, string>>;

interface FindPeopleOptions {
  /** By the name of their subscription. @default - none */
  readonly mentions?: ReadonlyMap<string, Mentions>;
  /** Whether this workspace vouches for the member: their linked token and their mail address count. @default true */
  readonly isOfWorkspace?: boolean;
}

/** Those of linked tokens first. The same person may come twice. */
export async function* findAccountPeople(
  ports: SlackPorts,
  user: string,
  { mentions = new Map(), isOfWorkspace = true }: FindPeopleOptions = {},
): AsyncGenerator<AccountPerson> {
  const sources = ports.config.sources.map(({ name }) => name);
  for (const source of isOfWorkspace ? sources : []) {
    const link = await findLinkedPerson(ports, user, source);
    if (link !== undefined && !(await hasLeft(ports, source, link.person)))
      yield { source, id: link.person, name: link.name, isLinked: true };
  }
  const email = isOfWorkspace ? await readEmail(ports, user) : undefined;
  if (email === undefined && mentions.size === 0) return;
  const member = { user, email, mentions };
  for (const source of sources) yield* await ports.inTurn((pace) => findInSource(ports, source, member, pace));
}

interface Member {
  readonly user: string;
  /** @default - it says nothing about who they are */
  readonly email: string | undefined;
  readonly mentions: ReadonlyMap<string, Mentions>;
}

async function findInSource(
  ports: SlackPorts,
  source: string,
  { user, email, mentions }: Member,
  pace: Pace,
): Promise<readonly AccountPerson[]> {
  const people = await readPeople(ports, source, pace);
  const names = Map.groupBy(people, ({ name }) => name?.toLowerCase());
  const found: AccountPerson[] = [];
  for (const { id, name, address } of people) {
    await pace();
    const hasNamesake = (names.get(name?.toLowerCase())?.length ?? 0) > 1;
    const person = { source, id, name, isLinked: false };
    if (email !== undefined && address?.toLowerCase() === email.toLowerCase()) {
      found.push(person);
      continue;
    }
    const isMember = (ids: Mentions) => findMemberId({ name: name ?? '', address, hasNamesake }, ids) === user;
    const onlyIn = [...mentions].flatMap(([subscription, ids]) => (isMember(ids) ? [subscription] : []));
    if (onlyIn.length > 0) found.push({ ...person, onlyIn });
  }
  return found;
}

async function readEmail({ directory }: SlackPorts, user: string): Promise<string | undefined> {
  const info = await directory.person(user);
  const member = info.ok ? jsonObjectOf(info.body.user) : {};
  const { email } = jsonObjectOf(member.profile);
  return isAddressConfirmed(member) && typeof email === 'string' && email !== '' ? email : undefined;
}

/** Whether the account has deactivated or removed the person, as far as it is known: its people may not be read. */
async function hasLeft({ snapshots }: SlackPorts, source: string, id: string): Promise<boolean> {
  const stored = await snapshots.get({ source, resource: 'person', id });
  return stored !== undefined && !isActive(stored);
}

const isActive = ({ deletedAt, record }: Pick<Snapshot, 'deletedAt' | 'record'>) =>
  deletedAt === null && record.active !== false;

/** The active ones. */
async function readPeople({ snapshots }: SlackPorts, source: string, pace: Pace) {
  const people: (Pick<AccountPerson, 'id' | 'name'> & { readonly address: string | null })[] = [];
  for await (const snapshot of snapshots.list(source, 'person')) {
    await pace();
    if (!isActive(snapshot)) continue;
    const { record, key } = snapshot;
    const address = typeof record.email === 'string' && record.email !== '' ? record.email : null;
    people.push({ id: key.id, name: fullName(record), address });
  }
  return people;
}
