/** How a form asks people for the settings of a channel: in their words, not in those of the config. */

import type { PersonRole } from '../../core/model/subscription.ts';

export interface ChannelForm {
  /** Kinds of receivers, of which a person chooses one. @default - there is one kind */
  readonly ways?: readonly ChannelWay[];
  /** The words for each setting, by its path: `auth.basic.user`. */
  readonly fields: Readonly<Record<string, FieldWords>>;
}

export interface ChannelWay {
  /** The setting that it needs and no other way has. */
  readonly key: string;
  readonly label: string;
  /** The other settings that it has. */
  readonly also: readonly string[];
}

export interface FieldWords {
  readonly label: string;
  /** One or two sentences. @default - the label says it all */
  readonly hint?: string;
  /** @default - none */
  readonly example?: string;
  /** Whether it is only for messages to the people concerned, which the setting `to` names. @default false */
  readonly isForRoles?: boolean;
  /** What each option is called; '' for none of them. @default - by their names */
  readonly options?: Readonly<Record<string, string>>;
}

/** The people concerned, as the options of a form. */
export const ROLE_OPTIONS: Readonly<Record<PersonRole, string>> = {
  assignees: 'The people assigned to it',
  owners: 'Its owners',
  followers: 'Its followers',
  projectmanager: 'The manager of its project',
};
