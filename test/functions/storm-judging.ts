/** Judges the mails of a chaos run as people read them, with the judge of the embedded storms. */

import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { readMail } from '../truth/read-message.ts';
import { isOfPresent } from '../truth/storm-arrivals.ts';
import { type Arrived, createStormJudge } from '../truth/storm-judge.ts';
import type { openCloud } from './storm-cloud.ts';
import type { World } from './world.ts';

/** Reads what concerns nobody with an address. */
const OFFICE = 'office@example.com';

/** What these get depends on the people and amounts at the time of sending, so only what arrives is judged. */
export const JUDGED_SUBSCRIPTIONS = [
  {
    ...{ name: 'mine', events: ['task.overdue', 'task.due_date_changed', 'task.assigned', 'task.closed'] },
    to: { email: { to: 'assignees', fallback: OFFICE } },
    quiet: { from: '22:00', until: '06:00' },
  },
  { name: 'board', events: ['task.*', 'invoice.*'], to: { email: { to: [OFFICE] } }, digest: { at: '09:00' } },
];

export const JUDGED_LINKS = {
  task: 'https://work.example.com/task/{id}',
  invoice: 'https://work.example.com/invoice/{id}',
};

type Cloud = Pick<Awaited<ReturnType<typeof openCloud>>, 'committed' | 'hasChanges'>;

/** @param bodies all requests that SES accepted so far */
export function createMailJudge({ stores }: Pick<World, 'stores'>, cloud: Cloud, bodies: readonly string[]) {
  const feed = {
    read: async () => {
      // Collects what was committed since.
      cloud.hasChanges();
      return cloud.committed.flatMap((record, position) => {
        const transition = transitionFromRecord(record);
        return transition === undefined ? [] : [{ position, transition }];
      });
    },
  };
  const judge = createStormJudge({ snapshots: stores.snapshots, feed });
  let read = 0;
  return {
    judged: judge.judged,

    /** A step is over. Returns one line per problem. */
    async finishStep(): Promise<readonly string[]> {
      const arrived = bodies.slice(read).map(readArrived).filter(isOfPresent);
      read = bodies.length;
      return (await judge.finishStep(arrived)).map((problem) => `untrue: ${problem}`);
    },
  };
}

function readArrived(body: string): Arrived {
  const { Content, Destination } = JSON.parse(body) as SendEmailCommandInput;
  const { Subject, Body } = Content?.Simple ?? {};
  const [address] = Destination?.ToAddresses ?? [];
  const text = Body?.Text?.Data ?? '';
  const message = readMail({ parsed: { subject: Subject?.Data, html: Body?.Html?.Data, text } as never });
  const isPersonal = address !== OFFICE && text.includes('subscription mine');
  return isPersonal && address !== undefined ? { message, address } : { message };
}
