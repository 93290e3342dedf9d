/** `page`: the rows of a page found and fingerprinted in its bytes, against parsing the same body. */

import { createExcerpt } from '../adapters/sources/http/excerpt.ts';
import { buildPage } from '../adapters/sources/work/page.ts';
import { type Benchmark, millis, timeBoth } from './bench.ts';

const ROWS = 500;
/** Pages per round: one page is too fast for the resolution of the clock. */
const PAGES = 40;

export const pageBenchmark: Benchmark = async () => {
  const tasks = Array.from({ length: ROWS }, (_, index) => task(String(10_000 + index)));
  const body = Buffer.from(
    JSON.stringify({ personid: '1', status: 'OK', code: '200', listcount: 100_000, task: tasks }),
  );
  const source = {
    ...{ resource: 'task', query: { offset: 0, limit: ROWS }, body, took: 0, serverTime: null },
    excerpt: createExcerpt('token', 'Basic token'),
  };
  const read = buildPage(source);
  let rows = 0;
  const time = await timeBoth(
    () => repeat(() => (rows += read.content().rows.length)),
    () => repeat(() => (rows += JSON.parse(body.toString('utf8')).task.length)),
    15,
  );
  if (rows % ROWS !== 0) throw new Error(`expected pages of ${ROWS} rows`);
  const [ours, floor] = [time.ours / PAGES, time.floor / PAGES];
  return [
    {
      name: 'page',
      ours: `${ROWS} rows of ${Math.round(body.length / ROWS)} bytes split and fingerprinted in ${millis(ours)}`,
      floor: `JSON.parse of the same body in ${millis(floor)}`,
      ratio: ours / floor,
      aim: 0.5,
    },
  ];
};

function repeat(work: () => unknown): void {
  for (let n = 0; n < PAGES; n++) work();
}

/** A whole task as the API sends it, about 900 bytes. */
function task(id: string): Record<string, string | null> {
  return {
    ...{ id, localid: `00${id}`, queueid: null, assigneeid: '2,9,14', statusid: '3', projectid: '17', moduleid: '4' },
    title: `[URGENT] Invoice run fails for Smith &amp; Sons, part ${id}`,
    summary: `<p>Since Monday the run stops half way: <a href="https://example.com/${id}">see here</a>. Please look.</p>`,
    ...{ dateopen: '2026-10-02', datedue: '2026-12-02', dateclosed: '', estimate: '7.50', ownerid: '2' },
    ...{ priorityid: '1', datemodified: '2026-11-13 10:20:30', color: 'ff8800', priority: '1', severity: 'P1' },
    ...{ status: 'In Progress', status_order: '2', project: 'Website relaunch', clientid: '5', clientlocalid: '0005' },
    ...{ client: 'Smith &amp; Sons', milestoneid: '', milestone: null, module: 'Development', projectlocalid: '0017' },
    ...{ assignees: 'Ada Lovelace, Alan Turing, Grace Hopper', followers: '', followerid: '', owners: 'Ada Lovelace' },
    ...{ billable: '1.50', unbillable: '0', actual: '1.50', datecreated: '2026-10-01' },
    ...{ projectlabel: '', projectlabel_order: '', projectlabelid: '' },
  };
}
