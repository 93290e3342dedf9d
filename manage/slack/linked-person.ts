/**
 * `connect` and `disconnect`: a person links their own API token, so that the buttons of messages act as that person. The
 * token is stored encrypted, is used for nothing else, and nobody else can use it.
 */

import type { SourceClient } from '../../adapters/sources/definition.ts';
import { errorMessage, GiveUp } from '../../core/model/errors.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import { fetchIdentity } from '../../core/source/account/identity.ts';
import { code } from './blocks.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

export interface LinkedPerson {
  /** The id of the person in the account. */
  readonly person: string;
  /** Null if the API does not say. */
  readonly name: string | null;
  /** A reference to the encrypted token. */
  readonly token: string;
}

const LINK = 'slack-link';
const linkId = (user: string, source: string) => `${user} ${source}`;

export async function findLinkedPerson(
  { documents }: Pick<SlackPorts, 'documents'>,
  user: string,
  source: string,
): Promise<LinkedPerson | undefined> {
  const body = await documents.get(LINK, linkId(user, source));
  return body === undefined ? undefined : (body as unknown as LinkedPerson);
}

/** Runs an action with the API of the source and the token of the person. */
export async function asPerson<T>(
  ports: SlackPorts,
  source: string,
  token: string,
  run: (api: SourceClient) => Promise<T>,
): Promise<T> {
  const config = ports.config.sources.find(({ name }) => name === source);
  if (config === undefined) throw new GiveUp('TIDINGS_SOURCE_UNKNOWN', `the config has no source '${source}'`);
  const api = await ports.openSourceAs(config, token);
  try {
    return await run(api);
  } finally {
    await api.close();
  }
}

/** The form was submitted: verifies the token with the API before it is kept. */
export async function connectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const source = args.source ?? '';
  const sealed = args.token ?? '';
  const token = await ports.secrets.resolve(sealed);
  let identity: Awaited<ReturnType<typeof fetchIdentity>>;
  try {
    identity = await asPerson(ports, source, token, (api) => fetchIdentity(api));
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    await replyTo(ports, running, { text: `The token was not kept: ${code(errorMessage(error))}` });
    return;
  }
  if (identity === undefined) {
    await replyTo(ports, running, {
      text: 'The token was not kept: the API does not accept it. Copy it again from your profile in the account.',
    });
    return;
  }
  const link = { person: identity.person, name: identity.name ?? null, token: sealed };
  await ports.documents.save(LINK, linkId(place.user, source), link, null);
  await recordChange(ports, slackAuthor(running), {
    action: 'person.connected',
    target: `person/${identity.person}`,
    details: { source },
  });
  const name = identity.name === undefined ? `person ${identity.person}` : identity.name;
  await replyTo(ports, running, {
    text: `Connected as ${code(name)}. Close task, Move due date and Assign to me now act as you. ${code('/tidings disconnect')} forgets the token.`,
  });
}

export async function disconnectPerson(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place } = running.task;
  const removed = await running.step('removed', async () => {
    const all = await Promise.all(
      ports.config.sources.map(({ name }) => ports.documents.remove(LINK, linkId(place.user, name))),
    );
    return String(all.filter(Boolean).length);
  });
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
