/** The people of a simulated Slack workspace: members, guests and people of other organisations. It knows no channels. */

export interface PersonOptions {
  /** `U024ANN` */
  readonly id: string;
  /** Full name. */
  readonly name: string;
  /** Name without spaces that commands carry. @default - the first name in small letters */
  readonly handle?: string;
  /** @default - none */
  readonly email?: string;
  /** @default true */
  readonly isEmailConfirmed?: boolean;
  /** A guest of several channels, or of one. Guests are in the channels that list them only. @default - a full member */
  readonly guest?: 'multi-channel' | 'single-channel';
  /** @default false */
  readonly isAdmin?: boolean;
  /** Id of the organisation. @default - the one of the workspace */
  readonly team?: string;
  /** A line that the page shows to a visitor who chose this person. @default - none */
  readonly note?: string;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly email: string | undefined;
  readonly isEmailConfirmed: boolean;
  readonly guest: 'multi-channel' | 'single-channel' | undefined;
  readonly isAdmin: boolean;
  readonly team: string;
  readonly note: string | undefined;
}

/** Id of the workspace. */
export const TEAM_ID = 'T00000001';

export const TEAM_DOMAIN = 'standin';

export function toPerson(options: PersonOptions): Person {
  const first = options.name.split(' ')[0] ?? options.name;
  return {
    id: options.id,
    name: options.name,
    handle: options.handle ?? first.toLowerCase(),
    email: options.email,
    isEmailConfirmed: options.isEmailConfirmed ?? true,
    guest: options.guest,
    isAdmin: options.isAdmin ?? false,
    team: options.team ?? TEAM_ID,
    note: options.note,
  };
}

/** Sees every public channel: neither a guest nor from another organisation. */
export const isFullMember = ({ guest, team }: Person): boolean => guest === undefined && team === TEAM_ID;
