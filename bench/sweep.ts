/**
 * `sweep`: finding 100,000 tasks unchanged, and `sweep-moved`: one of every 500 changed, against fetching the same
 * pages and parsing them. In wall time and in our own CPU time.
 */

import { Pool, request } from 'undici';
import type { PageFingerprint } from '../core/ports/manifest-store.ts';
import { type BenchAccount, type BenchPoller, openPoller, startAccount } from './account.ts';
import { type Benchmark, best, type Cost, costOf, type Figure, millis } from './bench.ts';

const TASKS = 100_000;
const ROUNDS = 5;

/** Fetches the pages of the last sweep in sequence with undici and JSON.parse alone. */
export async function fetchAndParse({ url, token }: BenchAccount, { database }: BenchPoller): Promise<number> {
  const heads = database.prepare("SELECT head FROM manifest_chunks WHERE scope = 'all' ORDER BY page").all();
  const authorization = `Basic ${Buffer.from(`${token}:x`).toString('base64')}`;
  const dispatcher = new Pool(url);
  let rows = 0;
  for (const { head } of heads) {
    const { offset, limit } = JSON.parse(String(head)) as PageFingerprint;
    const answer = await request(`${url}/task/?sortfield=id&sortdir=ASC&offset=${offset}&limit=${limit}`, {
      dispatcher,
      headers: { accept: 'application/json', authorization },
    });
    const page = JSON.parse(await answer.body.text()) as { task: unknown[] };
    rows += page.task.length;
  }
  await dispatcher.close();
  return rows;
}

/** Changes every 500th task, each time to something new. */
async function moveSome({ controlUrl }: BenchAccount, round: number): Promise<void> {
  for (let id = 250; id <= TASKS; id += 500) {
    const answer = await request(`${controlUrl}/records/task/${id}`, {
      method: 'PUT',
      body: JSON.stringify({ title: `Moved in round ${round}` }),
    });
    if (answer.statusCode >= 300) throw new Error(await answer.body.text());
    await answer.body.dump();
  }
}

export const sweep: Benchmark = async () => {
  const account = await startAccount(TASKS);
  const poller = openPoller(account);
  try {
    await poller.sweep();
    const unchanged = await rounds(account, poller, async () => {});
    const moved = await rounds(account, poller, (round) => moveSome(account, round));
    return [...figures('sweep', unchanged, 0.7), ...figures('sweep-moved', moved, 1.3)];
  } finally {
    await poller.close();
    await account.stop();
  }
};

async function rounds(account: BenchAccount, poller: BenchPoller, prepare: (round: number) => Promise<void>) {
  const ours: Cost[] = [];
  const floor: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await prepare(round);
    ours.push(await costOf(() => poller.sweep()));
    floor.push(await costOf(() => fetchAndParse(account, poller)));
  }
  return { ours: best(ours), floor: best(floor) };
}

function figures(name: string, { ours, floor }: { ours: Cost; floor: Cost }, aim: number): Figure[] {
  return (['wall', 'cpu'] as const).map((kind) => ({
    name: `${name} (${kind})`,
    ours: `${TASKS.toLocaleString('en')} tasks in ${millis(ours[kind])}`,
    floor: `fetch and parse: ${millis(floor[kind])}`,
    ratio: ours[kind] / floor[kind],
    aim,
  }));
}
