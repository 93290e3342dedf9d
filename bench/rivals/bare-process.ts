/** Posts the bodies of the comparison to all endpoints and does nothing else: no signature, no store, no retry. */

import { Agent, request } from 'undici';
import { type Load, runLoad } from './load.ts';
import { serveLoads } from './load-server.ts';
import { messageEvent } from './message.ts';

const { endpoints } = JSON.parse(process.argv[2] ?? '') as { endpoints: readonly string[] };
const dispatcher = new Agent();
let posted = 0;

async function postToAll(): Promise<string> {
  const event = messageEvent(posted++, new Date().toISOString());
  const headers = { 'content-type': 'application/json', 'webhook-id': event.id };
  const body = JSON.stringify(event);
  const post = async (url: string) => {
    const answer = await request(url, { method: 'POST', dispatcher, headers, body });
    await answer.body.dump();
  };
  await Promise.all(endpoints.map(post));
  return event.id;
}

await serveLoads({
  'POST /loads': async (load) => {
    const accepted = await runLoad(load as Load, postToAll);
    // Nothing is stored: a message is accepted when the call begins.
    return accepted.map((one) => ({ ...one, acceptedAt: one.calledAt }));
  },
});
