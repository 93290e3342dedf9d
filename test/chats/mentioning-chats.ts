/** Every chat that mentions people, with ids for some of the people of an account, two pairs of namesakes among them. */

import type { Snapshot } from '../../core/model/snapshot.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { startTeams } from '../../simulator/teams/teams.ts';
import { event, snapshot } from '../samples.ts';
import { startMattermost, startRocketChat } from './attachments/attachment-chat.ts';
import { startDiscord } from './discord/discord.ts';
import { startGoogleChat } from './google-chat/google-chat.ts';

/** 5 and 6 have the same name, as have 8 and 9. */
const PEOPLE = [
  { id: '5', firstname: 'Ann', lastname: 'Vogt', email: 'ann@example.com' },
  { id: '6', firstname: 'Ann', lastname: 'Vogt', email: 'ann.vogt@example.com' },
  { id: '7', firstname: 'Ben', lastname: 'Okafor', email: null },
  { id: '8', firstname: 'Zoë', lastname: 'Lind', email: null },
  { id: '9', firstname: 'Zoë', lastname: 'Lind', email: null },
];

export const peopleSnapshots = (): readonly Snapshot[] =>
  PEOPLE.map((record) =>
    snapshot(record.id, {
      key: { source: 'main', resource: 'person', id: record.id },
      record: { ...record, active: true },
      cause: 'baseline',
    }),
  );

/** Of the second Ann, of Ben and of one Zoë. The names are those of the API: in no order, and one of them old. */
const assigneeid = ['6', '7', '8'];
export const assigned = () => ({
  ...event('1', { type: 'task.assigned' }),
  data: {
    ...event('1').data,
    record: { id: '1', title: 'Draft', assigneeid, assignees: ['Benjamin Okafor', 'Zoë Lind', 'Ann Vogt'] },
    details: {
      added: assigneeid,
      addedNames: ['Benjamin Okafor', 'Zoë Lind', 'Ann Vogt'],
      removed: [],
      removedNames: [],
    },
  },
});

/** The ids of the first Ann, the second Ann, Ben and a Zoë, as each chat has them. */
const IDS: Readonly<Record<string, readonly [string, string, string, string]>> = {
  slack: ['U0000ANN1', 'U0000ANN2', 'U0000BEN', 'U0000ZOE'],
  teams: ['one@example.org', 'two@example.org', 'ben@example.org', 'zoe@example.org'],
  discord: ['281474976710656001', '281474976710656002', '281474976710656003', '281474976710656004'],
  googleChat: ['104111222333444555661', '104111222333444555662', '104111222333444555663', '104111222333444555664'],
  mattermost: ['ann.one', 'ann.two', 'ben', 'zoe'],
  rocketChat: ['ann.one', 'ann.two', 'ben', 'zoe'],
};

export const CHATS = Object.keys(IDS);

/** Whom each chat must mention: the second Ann by address, and Ben by name. Zoë has a namesake, and no address. */
export const EXPECTED = Object.fromEntries(
  Object.entries(IDS).map(([name, [, second, ben]]) => [name, [second, ben]] as const),
);

export async function startMentioningChats() {
  const slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    channels: ['team'],
    members: Object.fromEntries(IDS.slack?.map((id) => [id, id]) ?? []),
  });
  const webhooks = {
    teams: await startTeams(),
    discord: await startDiscord(),
    googleChat: await startGoogleChat(),
    mattermost: await startMattermost(),
    rocketChat: await startRocketChat(),
  };
  const mentionsOf = (name: string) => {
    const [first = '', second = '', ben = '', zoe = ''] = IDS[name] ?? [];
    // The name of both Anns is that of the first: the address of the second one decides.
    return { 'Ann Vogt': first, 'Ann.Vogt@Example.com': second, 'ben okafor': ben, 'Zoë Lind': zoe };
  };
  return {
    secrets: {
      SLACK: slack.token,
      ...Object.fromEntries(Object.entries(webhooks).map(([name, chat]) => [name.toUpperCase(), chat.webhookUrl])),
    },
    subscriptions: [
      {
        name: 'slack',
        events: ['task.*'],
        to: { slack: { token: '${SLACK}', channel: '#team', api: slack.apiUrl, mentions: mentionsOf('slack') } },
      },
      ...Object.keys(webhooks).map((name) => ({
        name,
        events: ['task.*'],
        to: { [name]: { webhook: `\${${name.toUpperCase()}}`, mentions: mentionsOf(name) } },
      })),
    ],
    /** Whom the messages of each chat notify. */
    notified: () => ({
      slack: slack.messages.flatMap(({ blocks }) =>
        [...JSON.stringify(blocks).matchAll(/"user_id":"(\w+)"/g)].map(([, id]) => id),
      ),
      ...Object.fromEntries(
        Object.entries(webhooks).map(([name, { messages }]) => [name, messages.flatMap(({ notified }) => notified)]),
      ),
    }),
    async close() {
      await Promise.all([slack, ...Object.values(webhooks)].map((chat) => chat.close()));
    },
  };
}
