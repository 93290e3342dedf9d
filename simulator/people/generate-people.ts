/**
 * The agency's clients and people: staff in several zones, client contacts with and without a log-in.
 * Fills tables directly: a generated account has no journal yet.
 */
import type { Data } from '../account/data.ts';
import type { Random } from './random.ts';
import type { Size } from './size.ts';
import * as vocabulary from './vocabulary.ts';

/** Groups of the first people, so that the smallest account has every role, one of them restricted to their own tasks. */
const FIRST_GROUPS = [1, 1, 2, 2, 3, 3, 4, 3, 3, null] as const;
const RESTRICTED = 6;

export function generatePeople(data: Data, size: Size, random: Random): void {
  const today = data.today();
  for (let i = 0; i < size.clients; i++) {
    const name = clientName(i, random);
    const host = plainName(name);
    data.client.add({
      localid: i + 1,
      name,
      description: random.chance(0.4)
        ? `Client since ${2012 + random.between(0, 12)}. Invoices go to “Accounts & Payables”.`
        : '',
      website: `https://www.${host}.example`,
      email: `office@${host}.example`,
      phone: `+49 30 ${random.between(1_000_000, 9_999_999)}`,
      active: i < 2 || random.chance(0.92),
      datecreated: today - random.between(200, 2000),
    });
  }
  const taken = new Set<string>();
  for (let i = 0; i < size.people; i++) addPerson(data, i, random, taken);
}

function clientName(i: number, random: Random): string {
  // Every house once before a house comes twice, in another trade.
  const house = vocabulary.HOUSES[i % vocabulary.HOUSES.length] ?? 'Albatross';
  const round = Math.floor(i / vocabulary.HOUSES.length);
  const trade = vocabulary.TRADES[(i * 7 + round * 11 + random.between(0, 2)) % vocabulary.TRADES.length] ?? 'Foods';
  return round > 3 ? `${house} ${trade} ${['GmbH', 'Ltd', 'SA', 'AB', 'Inc.', 'BV'][round % 6]}` : `${house} ${trade}`;
}

function addPerson(data: Data, i: number, random: Random, taken: Set<string>): void {
  const id = i + 1;
  const groupid = i < FIRST_GROUPS.length ? (FIRST_GROUPS[i] ?? null) : laterGroup(random);
  const external = groupid === 4 || groupid === null;
  const [firstname, lastname] = freeName(random, taken);
  const username = groupid === null ? '' : plainName(`${firstname}${lastname}`);
  const clientid = external ? random.between(1, data.client.count) : null;
  const host = clientid === null ? 'agency.example' : `${plainName(data.client.get(clientid)?.name ?? '')}.example`;
  const email = `${plainName(firstname)}.${plainName(lastname)}@${host}`;
  // The first of each role lives where the account does: a reader may take the account's zone from its own person.
  const local = [1, 3, 5, 7].includes(id) || random.chance(0.5);
  data.person.add({
    localid: id,
    clientid,
    title: groupid === 1 ? 'Managing director' : external ? 'Client' : random.pick(vocabulary.JOB_TITLES),
    firstname,
    lastname,
    primaryaccount: id === 1,
    notes: random.chance(0.15) ? '<p>Works Monday to Thursday.</p>' : '',
    allprojects: groupid === 1,
    active: id <= FIRST_GROUPS.length || random.chance(0.93),
    private: random.chance(0.4),
    tips: random.chance(0.3),
    username,
    password: '',
    email,
    groupid,
    numlogins: groupid === null ? 0 : random.between(1, 900),
    lastlogin: groupid === null ? null : data.seconds() - random.between(600, 20 * 86_400),
    timezone: local ? data.timeZone : random.pick(vocabulary.ZONES),
    restricttasks: id === RESTRICTED || (groupid === 3 && id > FIRST_GROUPS.length && random.chance(0.1)),
    calendarorientation: random.between(1, 2),
    editordisabled: random.chance(0.05) ? 1 : 0,
    hourlyrate: external ? null : random.between(60, 160) * 100,
    cancomment: true,
  });
  data.personcontact.add({ personid: id, contacttypeid: 1, contactdescriptorid: 1, contact: email });
  if (random.chance(0.6)) {
    const contact = `+49 151 ${random.between(1_000_000, 9_999_999)}`;
    data.personcontact.add({ personid: id, contacttypeid: 2, contactdescriptorid: 7, contact });
  }
}

function laterGroup(random: Random): 1 | 2 | 3 | 4 | null {
  return random.weighted<1 | 2 | 3 | 4 | null>([
    [1, 2],
    [2, 10],
    [3, 66],
    [4, 12],
    [null, 10],
  ]);
}

function freeName(random: Random, taken: Set<string>): [first: string, last: string] {
  for (let tries = 0; ; tries++) {
    const first = random.pick(vocabulary.FIRST_NAMES);
    const last =
      tries < 20
        ? random.pick(vocabulary.LAST_NAMES)
        : `${random.pick(vocabulary.LAST_NAMES)}-${random.pick(vocabulary.LAST_NAMES)}`;
    const name = `${first} ${last}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return [first, last];
  }
}

/** "Café Lumière Foods" as a host or login name: cafelumierefoods. */
export function plainName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/ß/g, 'ss')
    .replace(/ø/gi, 'o')
    .replace(/[^a-zA-Z0-9]/g, '')
    .toLowerCase();
}
