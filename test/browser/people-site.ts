/** The console of `startPeopleWorld` on a local port, and a browser that is logged in. */

import { SECOND } from '../../core/model/time.ts';
import { putSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { startPeopleWorld } from '../console/people-world.ts';
import { serveConsole } from './console-site.ts';

export type PeopleSite = Awaited<ReturnType<typeof startPeopleSite>>;

export async function startPeopleSite() {
  const world = await startPeopleWorld();
  // As the Slack app makes it: a channel of its own, with a digest of what is open.
  await putSubscription(world.api, { kind: 'command', id: 'ann', scopes: ['admin'] }, 'team-channel', {
    to: { slack: { channel: 'C0123456789', token: '${OPS}' } },
    query: 'task.overdue daily 08:30',
  });
  const site = await serveConsole(world);
  /** The attempts that are due half a minute from now are made. */
  const later = async () => {
    world.advance(31 * SECOND);
    await world.pump();
  };
  return { ...world, ...site, later };
}
