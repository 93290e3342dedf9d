/** The rows and columns of the authority matrix, and what each row must do, written down apart from the rules of the app. */

import { CONNECT_FORM, SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { SLACK_ACTIONS } from '../../../manage/slack/slack-app.ts';
import { COMMAND_HELP } from '../../../manage/slack/slack-command.ts';

/** Who sends a request. The first five are people of the workspace, as Slack shows them. */
export const PEOPLE = {
  admin: { id: 'UADMIN', shown: {} },
  member: { id: 'UMEMBER', shown: {} },
  'multi-channel guest': { id: 'UMULTI', shown: { is_restricted: true } },
  'single-channel guest': { id: 'USINGLE', shown: { is_restricted: true, is_ultra_restricted: true } },
  // Slack does not call those strangers who share a channel with the app.
  'stranger of a shared channel': { id: 'USHARED', shown: { team_id: 'T2', is_stranger: false } },
  'unseen stranger': { id: 'UUNSEEN', shown: undefined },
  'deactivated member': { id: 'UGONE', shown: { deleted: true } },
  'deactivated admin': { id: 'UOLDADMIN', shown: { deleted: true } },
} as const;
export type Who = keyof typeof PEOPLE;

const STAFF: readonly Who[] = ['admin', 'member'];
const GUESTS: readonly Who[] = ['multi-channel guest', 'single-channel guest'];
const STRANGERS: readonly Who[] = ['stranger of a shared channel', 'unseen stranger'];
export const EVERYONE = Object.keys(PEOPLE) as Who[];

export interface Expectation {
  /** For whom something changes. */
  readonly changes: readonly Who[];
  /** Who gets an answer that is no refusal, without any change. All others are refused. */
  readonly answers: readonly Who[];
}

const FREE: Expectation = { changes: [], answers: EVERYONE };
const READING: Expectation = { changes: [], answers: [...STAFF, ...GUESTS, ...STRANGERS] };
const CHANGING: Expectation = { changes: STAFF, answers: [] };
const OWN: Expectation = { changes: [...STAFF, ...GUESTS], answers: [] };
const DECIDING: Expectation = { changes: ['admin'], answers: [] };

/** What each row must do, written down apart from the rules of the app. */
export const EXPECTED: Readonly<Record<string, Expectation>> = {
  'command subscribe': { changes: [], answers: [...STAFF, ...GUESTS] },
  // Without a word: opens the form, or is refused in the acknowledgement.
  'command ': FREE,
  'command list': READING,
  'command unsubscribe': CHANGING,
  'command pause': CHANGING,
  'command resume': CHANGING,
  'command test': CHANGING,
  'command preview': READING,
  'command why': READING,
  // Opens a form, or is refused in the acknowledgement; the submission of the form is a row of its own.
  'command connect': FREE,
  'command help': FREE,
  'button confirm': OWN,
  'button request': OWN,
  'button cancel': FREE,
  'button change': { changes: [], answers: [...STAFF, ...GUESTS] },
  'button allow': DECIDING,
  'button deny': DECIDING,
  'button why': READING,
  'button snooze': CHANGING,
  'button fewer': CHANGING,
  'button undo': CHANGING,
  // A guest sees the home without tasks, and gets no digest of them.
  'button digest': { changes: STAFF, answers: GUESTS },
  'button close': OWN,
  'button due': OWN,
  'button assign': OWN,
  [`form ${SUBSCRIBE_FORM}`]: { changes: [], answers: [...STAFF, ...GUESTS] },
  'event home': FREE,
  'event mention': CHANGING,
  // What is one's own can be ended by anyone.
  'command disconnect': { changes: EVERYONE, answers: [] },
  [`form ${CONNECT_FORM}`]: OWN,
};

/** Those of the app, in the order of the expectations: the links to the account are ended and made last. */
export function listRows(): readonly string[] {
  const rows = [
    ...Object.keys(COMMAND_HELP).map((verb) => `command ${verb}`),
    ...Object.keys(SLACK_ACTIONS).map((action) => `button ${action}`),
    ...[SUBSCRIBE_FORM, CONNECT_FORM].map((form) => `form ${form}`),
    // What readSlackRequest of slack-request.ts takes besides, and an empty command.
    'command ',
    'event home',
    'event mention',
  ];
  const order = Object.keys(EXPECTED);
  return rows.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}
