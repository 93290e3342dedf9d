/** The deliver function mentions the people concerned in every chat, with the permissions of its role. */

import type { SQSRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';
import { assigned, CHATS, EXPECTED, peopleSnapshots, startMentioningChats } from '../chats/mentioning-chats.ts';
import { delivery } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld } from './world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('deliver mentions people by address, and by a name that only one person of the account has', async () => {
  const chats = await startMentioningChats();
  const world = await startWorld({ secrets: chats.secrets, config: { subscriptions: chats.subscriptions } });
  captureOutput();
  try {
    await world.functions.setup();
    await world.snapshots.commit(peopleSnapshots().map((snapshot) => ({ snapshot, expected: 0 })));
    const now = world.clock.now();
    const open = CHATS.map((name) => delivery('1', name, { createdAt: now, dueAt: now }));
    await world.stores.events.record([{ event: assigned(), deliveries: open }]);
    const jobs = open.map(
      ({ id, subscription }) =>
        ({
          messageId: id,
          body: JSON.stringify({ delivery: id, attempt: 1, group: subscription }),
        }) as SQSRecord,
    );
    expect(await world.functions.deliver(jobs)).toEqual({ batchItemFailures: [] });
    expect(chats.notified()).toEqual(EXPECTED);
  } finally {
    await world.stop();
    await chats.close();
  }
});
