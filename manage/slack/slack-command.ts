/** Reads the words after `/tidings` or `@Tidings`. Pure: what a command does is in its own file. */

import { nearestWord } from '../../core/filters/nearest-word.ts';
import { type Duration, parseDuration } from '../../core/model/time.ts';

/** The verbs with their uses and what each does, in the order of the help. */
export const COMMAND_HELP = {
  subscribe: [
    ['subscribe task.overdue project:"Website relaunch" daily 08:30', 'subscribes this channel, after a preview'],
  ],
  list: [['list', 'shows what this channel gets']],
  unsubscribe: [
    ['unsubscribe NAME', 'ends a subscription of this channel'],
    ['unsubscribe all', 'ends all of them'],
  ],
  pause: [
    ['pause 2h', 'no messages for two hours'],
    ['pause', 'no messages until you resume'],
  ],
  resume: [['resume', 'sends again, first what was held back']],
  test: [['test', 'sends a test message through each subscription of this channel']],
  preview: [['preview', 'shows what the next 24 hours will bring this channel']],
  why: [['why task/412', 'explains why this channel got a message about a record, or did not']],
  connect: [['connect', 'links your own API token, for Close task, Move due date and Assign to me']],
  disconnect: [['disconnect', 'forgets your API token']],
  help: [['help', 'shows this list']],
} as const;

/** In the place of a name: all subscriptions. None is called so. */
export const ALL_NAMES = 'all';

type CommandVerb = keyof typeof COMMAND_HELP;

export type SlackCommand =
  | { readonly verb: 'menu' | 'resume' | 'test' | 'preview' | 'connect' | 'disconnect' | 'help' }
  | { readonly verb: 'subscribe'; readonly query: string }
  /** From this one on, in the order of the list. */
  | { readonly verb: 'list'; readonly from: number }
  | { readonly verb: 'unsubscribe'; readonly name: string }
  | { readonly verb: 'pause'; readonly duration: Duration | null }
  | { readonly verb: 'why'; readonly subject: string }
  | { readonly verb: 'wrong'; readonly message: string };

/** Further words that people type for a verb. */
const SYNONYMS: Readonly<Record<string, CommandVerb>> = {
  add: 'subscribe',
  follow: 'subscribe',
  sub: 'subscribe',
  ls: 'list',
  show: 'list',
  subscriptions: 'list',
  unsub: 'unsubscribe',
  remove: 'unsubscribe',
  unfollow: 'unsubscribe',
  mute: 'pause',
  snooze: 'pause',
  unpause: 'resume',
  unmute: 'resume',
  explain: 'why',
  login: 'connect',
  logout: 'disconnect',
  '?': 'help',
};

export function readCommandText(text: string): SlackCommand {
  const [word = ''] = text.trim().split(/\s/, 1);
  const rest = text.trim().slice(word.length).trim();
  if (word === '') return { verb: 'menu' };
  const verb = verbOf(word.toLowerCase());
  switch (verb) {
    case undefined:
      return unknownVerb(word, text);
    case 'subscribe':
      if (rest === '') return { verb: 'menu' };
      return { verb, query: rest };
    case 'list':
      return { verb, from: /^[1-9]\d{0,5}$/.test(rest) ? Number(rest) : 1 };
    case 'unsubscribe':
      if (rest === '') return wrong('Which one? `/tidings list` shows the names; `/tidings unsubscribe all` ends all.');
      return { verb, name: rest.replaceAll(/[`"“”]/g, '') };
    case 'pause':
      return readPause(rest);
    case 'why':
      if (rest === '') return wrong('Which record? For example `/tidings why task/412`.');
      return { verb, subject: readSubject(rest) };
    case 'resume':
    case 'test':
    case 'preview':
    case 'connect':
    case 'disconnect':
      // A sentence to people may begin like this.
      if (rest !== '') return wrong(`\`${verb}\` stands alone, got \`${clean(rest)}\` after it. Nothing was done.`);
      return { verb };
    default:
      return { verb };
  }
}

function verbOf(word: string): CommandVerb | undefined {
  if (Object.hasOwn(COMMAND_HELP, word)) return word as CommandVerb;
  return Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
}

/** A query without its verb, or a misspelled verb. */
function unknownVerb(word: string, text: string): SlackCommand {
  const nearest = nearestWord(word.toLowerCase(), [...Object.keys(COMMAND_HELP), ...Object.keys(SYNONYMS)]);
  const verb = nearest === undefined ? undefined : verbOf(nearest);
  if (verb !== undefined) return wrong(`There is no command \`${clean(word)}\`. Did you mean \`${verb}\`?`);
  if (/^[a-z]+\.[a-z_*]+/i.test(word)) {
    return wrong(`Did you mean \`/tidings subscribe ${clean(text.trim())}\`?`);
  }
  return wrong(`There is no command \`${clean(word)}\`. \`/tidings help\` lists the commands.`);
}

/** `2h`, `2 hours`, `30 min`, `for 3 days`. */
function readPause(rest: string): SlackCommand {
  if (rest === '') return { verb: 'pause', duration: null };
  const [, amount, unit = ''] = /^(?:for\s+)?(\d{1,4})\s*([a-z]*)$/i.exec(rest) ?? [];
  const letter = /^(s|m|h|d|w)/i.exec(unit)?.[1]?.toLowerCase();
  const days = letter === 'w' ? Number(amount) * 7 : Number(amount);
  const duration = amount === undefined ? undefined : parseDuration(`${days}${letter === 'w' ? 'd' : (letter ?? '')}`);
  if (duration === undefined || duration === 0) {
    return wrong(`How long? For example \`/tidings pause 2h\`, \`30m\` or \`3d\`, got \`${clean(rest)}\`.`);
  }
  if (duration > MAX_PAUSE) return wrong('Up to 90 days. For longer: `/tidings pause`, until `/tidings resume`.');
  return { verb: 'pause', duration };
}

const MAX_PAUSE = 90 * 24 * 60 * 60 * 1000;

/** Longer than any subject or id. */
const MAX_SUBJECT_LENGTH = 500;

/** `task/412`, `task 412`, `task #412`, `main/task/412` or the id of an event. */
function readSubject(text: string): string {
  return text
    .slice(0, MAX_SUBJECT_LENGTH)
    .trim()
    .toLowerCase()
    .replaceAll(/[\s#]+/g, '/')
    .replaceAll(/\/+/g, '/');
}

const wrong = (message: string): SlackCommand => ({ verb: 'wrong', message });

/** What a person typed is repeated in code marks, without characters that end or change them. */
const clean = (text: string) => text.replaceAll(/[`<>&]/g, '').slice(0, 200);
