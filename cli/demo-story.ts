/** The scripted incidents of the demo: a bulk edit, and an endpoint that goes down and recovers. */

import { setTimeout as sleep } from 'node:timers/promises';
import { pluralize, type Terminal } from '../runtime/terminal/terminal.ts';
import type { World } from './demo-world.ts';

const BULK_EDIT_AFTER_MS = 20_000;
const BULK_EDIT_TASKS = 150;
const OUTAGE_AFTER_MS = 12_000;
const OUTAGE_MS = 20_000;
const CHECK_EVERY_MS = 1_000;

/** Runs the incidents in order until the end or the signal; `pace` is the speed-up factor. */
export async function runStory(
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
  if (!(await wait(BULK_EDIT_AFTER_MS))) return;
  const today = new Date().toISOString().slice(0, 10);
  // Leave overdue tasks alone, so that the digest has something to list.
  const open = simulator.account
    .list('task', { excludeclosed: 't' })
    .filter(({ datedue }) => typeof datedue !== 'string' || datedue === '' || datedue >= today)
    .slice(0, BULK_EDIT_TASKS);
  for (const { id } of open) simulator.account.update('task', String(id), { datedue: nextFriday(Date.now()) });
  say(
    `bulk edit: ${open.length} due dates changed at once. Webhooks get one event for each, the chat gets one message: ${slack.url}/?channel=team`,
  );

  if (!(await wait(OUTAGE_AFTER_MS))) return;
  erp.isUp = false;
  say('the erp endpoint is down: it responds with 503');
  if (!(await wait(OUTAGE_MS))) return;
  // Without a refused delivery there would be nothing to recover.
  while (erp.refused.size === 0) if (!(await wait(CHECK_EVERY_MS))) return;
  erp.isUp = true;
  say(`the erp endpoint is back; ${pluralize(erp.refused.size, 'delivery', 'deliveries')} failed while it was down`);
  while (await wait(CHECK_EVERY_MS)) {
    const left = [...erp.refused].filter((id) => !erp.accepted.has(id)).length;
    if (left > 0) continue;
    say(`erp has received all ${erp.refused.size} of them: no event was lost`);
    return;
  }
}

function nextFriday(now: number): string {
  const date = new Date(now + 7 * 86_400_000);
  date.setUTCDate(date.getUTCDate() + ((5 - date.getUTCDay() + 7) % 7));
  return date.toISOString().slice(0, 10);
}
