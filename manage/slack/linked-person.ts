/**
 * The API token that a person has linked, so that the buttons of messages act as that person. The token is stored encrypted, is used
 * for nothing else, is sent only to the address it was given for, and nobody else can use it. connect-person.ts links it.
 */

import { createHash } from 'node:crypto';
import type { SourceClient } from '../../adapters/sources/definition.ts';
import { GiveUp } from '../../core/model/errors.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { accountMark, normalizeBaseUrl, readAccount } from '../../core/source/account/account.ts';
import type { SourceConfig } from '../../runtime/config/config.ts';
import { code } from './blocks.ts';
import type { SlackPorts } from './slack-ports.ts';

export interface LinkedPerson {
  /** The id of the person in the account. */
  readonly person: string;
  /** Null if the API does not say. */
  readonly name: string | null;
  /** A reference to the encrypted token. */
  readonly token: string;
}

/** Where a token belongs: a source may get another address under the same name. */
interface TokenAddress {
  readonly kind: string;
  readonly baseUrl: string;
}

type SourceAddress = Pick<SourceConfig, 'name' | 'kind' | 'baseUrl'>;

const tokenAddress = ({ kind, baseUrl }: SourceAddress): TokenAddress => ({ kind, baseUrl: normalizeBaseUrl(baseUrl) });

/** Differs once a source was added, removed or given another address: a person who typed a token meant the ones of the form. */
export function digestAccounts(sources: readonly SourceAddress[]): string {
  const addresses = sources.map((one) => `${one.name} ${one.kind} ${normalizeBaseUrl(one.baseUrl)}`).sort();
  return createHash('sha256').update(JSON.stringify(addresses)).digest('hex').slice(0, 16);
}

/**
 * Why a person has no link that can be used. `moved`: the source is not at the address that the token was given for any more. `of other
 * account`: its records are those of another account now. `of earlier version`: its address was not stored, or its account not verified.
 */
type MissingLink = 'none' | 'moved' | 'of other account' | 'of earlier version' | 'without source';

const LINK = 'slack-link';
const linkId = (user: string, source: string) => `${user} ${source}`;

/** The names of the sources that a person has linked: some may not exist any more. */
const LINKED = 'slack-linked-sources';

type LinkPorts = Pick<SlackPorts, 'documents' | 'config' | 'snapshots'>;

export const findSource = ({ config }: Pick<SlackPorts, 'config'>, source: string) =>
  config.sources.find(({ name }) => name === source);

/** The account that was verified, see `accountMark`, besides its address. */
interface StoredLink extends LinkedPerson, TokenAddress {
  readonly account: string;
}

/** The person, if their token was given for the address and the account that the source has now. */
export async function readLink(ports: LinkPorts, user: string, source: string): Promise<LinkedPerson | MissingLink> {
  const config = findSource(ports, source);
  if (config === undefined) return 'without source';
  const body = await ports.documents.get(LINK, linkId(user, source));
  if (body === undefined) return 'none';
  const link = body as unknown as LinkedPerson & Partial<StoredLink>;
  if (link.baseUrl === undefined || link.account === undefined) return 'of earlier version';
  const { kind, baseUrl } = tokenAddress(config);
  if (link.kind !== kind || link.baseUrl !== baseUrl) return 'moved';
  return link.account === accountMark(await readAccount(ports.snapshots, source)) ? link : 'of other account';
}

/** What a person reads who has no link that can be used. */
export function sayMissingLink(missing: MissingLink): string {
  const connect = `${code('/tidings connect')}. Then press the button again.`;
  switch (missing) {
    case 'none':
      return `To act as yourself, link your API token first: ${connect}`;
    case 'moved':
      return `The address of the account has changed since you linked your API token, so the token is not used. Link one for the new address: ${connect}`;
    case 'of other account':
      return `Tidings reads another account under this name since you linked your API token, or the operator made it look at the account anew, so the token is not used. Link one again: ${connect}`;
    case 'of earlier version':
      return `Your API token was linked in an earlier version, which did not verify its account, so it is not used. Link it again: ${connect}`;
    case 'without source':
      return 'Tidings no longer reads the account of this message.';
  }
}

export async function findLinkedPerson(
  ports: LinkPorts,
  user: string,
  source: string,
): Promise<LinkedPerson | undefined> {
  const link = await readLink(ports, user, source);
  return typeof link === 'string' ? undefined : link;
}

/** Runs an action with the API of the source and the token of the person. */
export async function asPerson<T>(
  ports: SlackPorts,
  source: string,
  token: string,
  run: (api: SourceClient) => Promise<T>,
): Promise<T> {
  const config = findSource(ports, source);
  if (config === undefined) throw new GiveUp('TIDINGS_SOURCE_UNKNOWN', `the config has no source '${source}'`);
  const api = await ports.openSourceAs(config, token);
  try {
    return await run(api);
  } finally {
    await api.close();
  }
}

/**
 * Replaces the one that was linked before.
 * @param account that the token was verified to be of, see `accountMark`
 */
export async function saveLink(
  ports: LinkPorts,
  user: string,
  source: Pick<SourceConfig, 'name' | 'kind' | 'baseUrl'>,
  person: LinkedPerson,
  account: string,
): Promise<void> {
  const link: StoredLink = { ...person, ...tokenAddress(source), account };
  await rememberSource(ports, user, source.name);
  await ports.documents.save(LINK, linkId(user, source.name), { ...link }, null);
}

/** Before the link, so that no link is forgotten. */
async function rememberSource({ documents }: Pick<SlackPorts, 'documents'>, user: string, source: string) {
  const add = (stored: DocumentBody): DocumentBody => {
    const { sources } = stored as unknown as LinkedSources;
    return sources.includes(source) ? stored : { sources: [...sources, source] };
  };
  if ((await documents.update(LINKED, user, add)) !== undefined) return;
  if (await documents.add(LINKED, user, { sources: [source] }, null)) return;
  await documents.update(LINKED, user, add);
}

interface LinkedSources {
  readonly sources: readonly string[];
}

/** All links, also those to an address that the source no longer has, and to sources that were removed. */
export async function listLinks(
  { documents, config }: Pick<SlackPorts, 'documents' | 'config'>,
  user: string,
): Promise<readonly FormerLink[]> {
  const linked = (await documents.get(LINKED, user)) as unknown as LinkedSources | undefined;
  const names = [...new Set([...config.sources.map(({ name }) => name), ...(linked?.sources ?? [])])];
  const bodies = await Promise.all(names.map((name) => documents.get(LINK, linkId(user, name))));
  return names.flatMap((source, at) => {
    const link = bodies[at] as unknown as LinkedPerson | undefined;
    return link === undefined ? [] : [{ source, person: link.person, name: link.name }];
  });
}

/** A link, whether or not it can be used. */
export type FormerLink = Pick<LinkedPerson, 'person' | 'name'> & { readonly source: string };

export async function removeLinks(
  { documents }: Pick<SlackPorts, 'documents'>,
  user: string,
  links: readonly FormerLink[],
): Promise<void> {
  await Promise.all(links.map(({ source }) => documents.remove(LINK, linkId(user, source))));
  await documents.remove(LINKED, user);
}
