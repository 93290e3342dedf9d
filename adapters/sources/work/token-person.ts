/** Whom the token belongs to: their role, name and time zone, from `/me/` and from the record of the person. */

import { isTimeZone } from '../../../core/model/calendar.ts';
import { refusesToken } from '../../../core/model/error-codes.ts';
import { GiveUp, TidingsError } from '../../../core/model/errors.ts';
import type { FoundIdentity, ReadApi, WireRow } from '../../../core/ports/source-api.ts';
import { cleanValue } from '../../../core/resources/clean.ts';
import { fullName } from '../../../core/resources/full-name.ts';

/** Undefined when the API does not say. */
export async function identifyPerson(api: ReadApi, signal?: AbortSignal): Promise<FoundIdentity | undefined> {
  const page = await api.list('me', { offset: 0, limit: 1, filters: {} }, signal);
  const { rows, personId } = page.content();
  const person = personId ?? rows[0]?.id;
  if (person === undefined) return undefined;
  const row = rows[0]?.parse() ?? {};
  const role = roleIn(row);
  const restricted = cleanValue(row.restricttasks ?? null, 'boolean');
  const name = fullName({
    firstname: cleanValue(row.firstname ?? null, 'text'),
    lastname: cleanValue(row.lastname ?? null, 'text'),
  });
  return {
    person,
    role: role !== null && isRoleName(role) ? role : ((await fetchRoleName(api, person, signal)) ?? role),
    name: name ?? undefined,
    restricted: typeof restricted === 'boolean' ? restricted : undefined,
  };
}

/** Two requests: the fields of `/me/` are not documented, and not every role may read the record of the person. */
export async function findPersonZone(api: ReadApi, signal?: AbortSignal): Promise<string | null> {
  const page = await api.list('me', { offset: 0, limit: 1, filters: {} }, signal);
  const { rows, personId } = page.content();
  const id = personId ?? rows[0]?.id;
  const ofMe = zoneIn(rows[0]?.parse());
  try {
    return zoneIn(id === undefined ? undefined : await api.get('person', id, signal)) ?? ofMe;
  } catch (error) {
    // The role may not read the record: what `/me/` says is all there is.
    if (ofMe !== null || (error instanceof GiveUp && !refusesToken(error.code))) return ofMe;
    throw error;
  }
}

function zoneIn(row: WireRow | undefined): string | null {
  const zone = row?.timezone;
  return typeof zone === 'string' && isTimeZone(zone) ? zone : null;
}

/** Whether this is the name of a role and not only the id of its group. */
function isRoleName(role: string): boolean {
  return !/^\d+$/.test(role);
}

/** The name of the group, or its id; null when the row has neither. */
function roleIn({ group, groupid }: WireRow): string | null {
  const role = [group, groupid].find(
    (value) => (typeof value === 'string' && value !== '') || typeof value === 'number',
  );
  return role === undefined ? null : String(role);
}

/** The name of the role in the record of the person; undefined when the API does not show it. One request. */
async function fetchRoleName(
  api: Pick<ReadApi, 'get'>,
  person: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const role = roleIn((await api.get('person', person, signal)) ?? {});
    return role !== null && isRoleName(role) ? role : undefined;
  } catch (error) {
    if (error instanceof TidingsError) return undefined;
    throw error;
  }
}
