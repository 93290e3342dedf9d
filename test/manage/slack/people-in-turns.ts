/** What a person may make the app do, and what of it the others in the channel notice: the same in both modes. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import { subscription } from '../../samples.ts';
import type { FakeSlack } from './fake-slack.ts';

export interface TurnsWorld {
  readonly slack: FakeSlack;
  readonly stores: Pick<DatabaseStores, 'subscriptions'>;
  /** Sends a body as Slack signs it. Returns the status. */
  send(body: string, type: string): Promise<number>;
  /** Does all work that is queued. */
  settle(): Promise<void>;
  advance(millis: number): void;
  stop(): Promise<void>;
}

const FORM = 'application/x-www-form-urlencoded';

/** What AWS hands to one execution. */
const BATCH = 10;

export function peopleInTurns(mode: string, start: () => Promise<TurnsWorld>): void {
  describe(`one person who uses the app a lot, ${mode}`, () => {
    let world: TurnsWorld;
    let requests = 0;
    beforeAll(async () => {
      world = await start();
      world.slack.guests.add('UGUEST');
      await world.stores.subscriptions.add(
        subscription('website', {
          declared: false,
          owner: 'slack:C1',
          to: { channel: 'slack', settings: { channel: 'C1' } },
        }),
      );
    });
    afterAll(async () => world?.stop());

    const command = async (text: string, user: string) => {
      const body = new URLSearchParams({
        team_id: 'T1',
        api_app_id: 'A1',
        channel_id: 'C1',
        channel_name: 'website',
        user_id: user,
        user_name: user.toLowerCase(),
        command: '/tidings',
        text,
        response_url: world.slack.respondUrl(user),
        trigger_id: `trigger-${++requests}`,
      });
      expect(await world.send(body.toString(), FORM)).toBe(200);
    };

    it('delays the work of others in the channel by no more than one piece of theirs', async () => {
      const { slack } = world;
      for (let n = 1; n < BATCH; n++) await command('preview', 'UGUEST');
      await command('list', 'UBEN');
      const first = Promise.withResolvers<void>();
      slack.gates.set('UGUEST', first.promise);
      const settled = world.settle();
      try {
        await vi.waitFor(() => expect(slack.responses.map(({ to }) => to)).toEqual(['UBEN']), 10_000);
      } finally {
        first.resolve();
        slack.gates.clear();
        await settled;
      }
      expect(slack.responses).toHaveLength(BATCH);
    });

    it('lets others change the subscriptions of the channel after one change of theirs', async () => {
      const { slack } = world;
      world.advance(2 * MINUTE);
      const before = slack.callsOf('chat.postMessage').length;
      for (let n = 1; n < BATCH; n++) await command('pause 1h', 'UANN');
      await command('resume', 'UBEN');
      await world.settle();
      const said = slack.callsOf('chat.postMessage').slice(before);
      expect(said).toHaveLength(BATCH);
      expect(said.findIndex(({ text }) => text.startsWith('<@UBEN>'))).toBeLessThan(3);
    });
  });
}
