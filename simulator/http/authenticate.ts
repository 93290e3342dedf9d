/**
 * Authenticates a request: HTTP Basic with the API token as user name and any non-empty password.
 * Knows tokens and roles; the resource tables define permissions.
 */
import type { Account } from '../account/account.ts';
import { Random } from '../people/random.ts';
import { badToken, inactivePerson, noCredentials, noLogin, noPassword } from '../request-error.ts';
import type { Role, Viewer } from '../resources/resource.ts';

const TOKEN_LENGTH = 24;

/** A person who can log in. */
export interface TokenHolder {
  readonly token: string;
  readonly personid: string;
  readonly name: string;
  /** Present role. */
  readonly role: Role;
}

export class Tokens {
  readonly #account: Account;
  readonly #seed: number;
  readonly #people = new Map<string, number>();
  readonly #roles = new Map<string, Role>();
  #issued = 0;

  constructor(account: Account, seed: number) {
    this.#account = account;
    this.#seed = seed;
  }

  /** The token of a person, derived from the seed so that it is always the same. */
  tokenOf(personid: number): string {
    return new Random(this.#seed, 7, personid).hex(TOKEN_LENGTH);
  }

  /** Gives the token this role instead of that of its person's group; undefined restores it. */
  setRole(token: string, role: Role | undefined): void {
    if (this.#person(token) === undefined) throw new RangeError(`tokens: there is no token '${token}'`);
    if (role === undefined) this.#roles.delete(token);
    else this.#roles.set(token, role);
  }

  /** People who can log in, with token and present role. */
  list(): TokenHolder[] {
    const { data } = this.#account;
    return [...data.person].flatMap((person) => {
      const token = this.tokenOf(person.id);
      const role = this.#roles.get(token) ?? this.#account.roleOf(person.id);
      if (role === undefined || !person.active || person.username === '') return [];
      return [{ token, personid: String(person.id), name: data.name(person.id), role }];
    });
  }

  /** The sender of a request by its Authorization header. */
  authenticate(header: string | undefined): Viewer & { token: string } {
    const encoded = /^Basic\s+(\S+)$/i.exec(header ?? '')?.[1];
    if (encoded === undefined) throw noCredentials();
    const credentials = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = credentials.indexOf(':');
    const token = colon < 0 ? credentials : credentials.slice(0, colon);
    const personid = this.#person(token);
    const person = personid === undefined ? undefined : this.#account.data.person.get(personid);
    if (personid === undefined || person === undefined) throw badToken();
    if (colon < 0 || colon === credentials.length - 1) throw noPassword();
    if (!person.active) throw inactivePerson();
    const role = this.#roles.get(token) ?? this.#account.roleOf(personid);
    if (role === undefined || person.username === '') throw noLogin();
    return { token, personid, role, restricted: person.restricttasks && role !== 'Administrator' };
  }

  #person(token: string): number | undefined {
    // People may have been added since the last request, so tokens are created on demand.
    for (; this.#issued < this.#account.data.person.slots; this.#issued++) {
      this.#people.set(this.tokenOf(this.#issued + 1), this.#issued + 1);
    }
    return this.#people.get(token);
  }
}
