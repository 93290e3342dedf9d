/** What happens in the demo besides everyday life: a storm of changes, and an endpoint that dies and comes back. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './demo-world.ts';
import type { Terminal } from './terminal.ts';

const STORM_AFTER = 20_000;
const STORM = 150;
const DEATH_AFTER = 12_000;
const DEAD_FOR = 20_000;
const LOOK_EVERY = 1_000;

/** Tells it step by step, until its end or the signal; `pace` times as fast as usual. */
export async function tellStory(
  { simulator, erp, slack }: World,
  terminal: Terminal,
  signal: AbortSignal,
  pace: number,
): Promise<void> {
  const say = (text: string) => terminal.out(terminal.paint('magenta', `▶ ${text}`));
  const wait = async (millis: number) => {
    await sleep(millis / pace, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  };
  if (!(await wait(STORM_AFTER))) return;
  const today = new Date().toISOString().slice(0, 10);
  // What is overdue stays so: the digest is to have something to list.
  const open = simulator.account
    .list('task', { excludeclosed: 't' })
    .filter(({ datedue }) => typeof datedue !== 'string' || datedue === '' || datedue >= today)
    .slice(0, STORM);
  for (const { id } of open) simulator.account.update('task', String(id), { datedue: nextFriday(Date.now()) });
  say(
    `storm: ${open.length} due dates were moved in one go. Webhooks get each, the chat one message: ${slack.url}/?channel=team`,
  );

  if (!(await wait(DEATH_AFTER))) return;
  erp.isUp = false;
  say('the endpoint of erp dies: it answers 503 from now on');
  if (!(await wait(DEAD_FOR))) return;
  erp.isUp = true;
  say(`the endpoint of erp is back; ${erp.refused.size} events knocked in vain meanwhile`);
  while (await wait(LOOK_EVERY)) {
    const left = [...erp.refused].filter((id) => !erp.taken.has(id)).length;
    if (left > 0) continue;
    say(`erp has all ${erp.refused.size} of them now: nothing was lost`);
    return;
  }
}

function nextFriday(now: number): string {
  const date = new Date(now + 7 * 86_400_000);
  date.setUTCDate(date.getUTCDate() + ((5 - date.getUTCDay() + 7) % 7));
  return date.toISOString().slice(0, 10);
}
