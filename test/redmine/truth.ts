/**
 * A truth run on a real Redmine: people work in it over HTTP while Tidings polls, is stopped and started, and the server is
 * down at times. Every change in Redmine's journals must have been emitted once, with its person, instant and values.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import type { Transition } from '../../core/model/snapshot.ts';
import { MINUTE } from '../../core/model/time.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { compare } from '../../core/snapshot/compare.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { pollCycle } from '../../runtime/poll-cycle.ts';
import { type ExpectedChange, readExpected } from './oracle.ts';
import { act, changeRole, createIssue, createPerson, createProject, type Person, request } from './people.ts';
import { type RedmineServer, startRedmine } from './server.ts';
import { logIn, type WebSession } from './web-session.ts';

export interface RedmineTruth {
  readonly changes: number;
  readonly events: number;
  readonly polls: number;
  readonly requests: number;
  /** Each kind must be empty. */
  readonly differences: Readonly<Record<'lost' | 'false' | 'doubled' | 'wrong' | 'deletions', readonly string[]>>;
}

/** @param changes how many journalled changes the people make at least */
export async function runRedmineTruth({
  changes,
  seed,
}: {
  readonly changes: number;
  readonly seed: number;
}): Promise<RedmineTruth> {
  const server = await startRedmine();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-truth-'));
  // Advanced only at the end: Redmine has the clock of this machine.
  let offset = 0;
  const clock = { now: () => new Date(Date.now() + offset).toISOString() };
  const source = { kind: 'redmine', baseUrl: server.url, token: server.adminKey, timeZone: 'UTC' };
  const often = { resources: { task: { every: '1s', sweep: '1d' } }, quota: { perMinute: 6000 } };
  const open = () =>
    openEmbedded({
      config: parseConfig('truth.json', JSON.stringify({ source: { ...source, ...often } }), {}),
      database: openDatabase(join(folder, 'tidings.sqlite')),
      environment: {},
      clock,
      holder: 'truth',
      random: () => 0.5,
    });
  let polls = 0;
  let embedded: Embedded | undefined;
  const transitions: Transition[] = [];
  const poll = async (everything: boolean, signal?: AbortSignal) => {
    embedded ??= await open();
    const [config] = embedded.config.sources;
    if (config === undefined) throw new Error('no source');
    polls += 1;
    return pollCycle(embedded, config, {}, { everything, ...(signal === undefined ? {} : { signal }) });
  };
  const collect = async () => {
    if (embedded === undefined) return;
    const entries = await embedded.feed.read('truth', 1_000_000);
    transitions.push(...entries.map(({ transition }) => transition));
    await embedded.feed.acknowledge('truth', entries.at(-1)?.position ?? 0);
  };
  /** Ends Tidings in the middle of a poll. What it had not finished, the next start does. */
  const killWhilePolling = async (millis: number) => {
    await poll(false, AbortSignal.timeout(millis)).catch(() => {});
    await collect();
    await embedded?.close();
    embedded = undefined;
  };
  try {
    const script = await openScript(server, seed);
    await script.prepare();
    await poll(true);
    await collect();
    transitions.length = 0;
    const baseline = new Set(readExpected(server).map(keyOf));
    let requests = 0;
    for (let round = 0; readExpected(server).length - baseline.size < changes; round++) {
      await script.act();
      if (round % 17 === 5) await killWhilePolling(60);
      if (round % 23 === 11) {
        await server.kill();
        await poll(false);
        await server.start();
      }
      // After a failure the next delta waits, and a sweep that is asked for does not.
      await poll(round % 10 === 9 || round % 23 === 11);
      await collect();
      if (round % 6 === 4) {
        // What is changed and removed between two polls leaves no trace: the poll before must not be skipped by its cadence.
        await sleep(1100);
        await poll(false);
        await collect();
        await script.remove();
      }
      requests = embedded?.sources.get('main')?.api.requests() ?? requests;
    }
    // A 404 proves a deletion ten minutes after the last change.
    for (let sweeps = 0; sweeps < 4; sweeps++) {
      offset += 11 * MINUTE;
      await poll(true);
    }
    await collect();
    const expected = [...script.recorded(), ...readExpected(server)].filter((change) => !baseline.has(keyOf(change)));
    return { ...judge(expected, transitions, script.removed()), polls, requests };
  } finally {
    await embedded?.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each of them is read with its journals. */
const MAX_BULK = 60;

const keyOf = ({ issue, kind, by, at, values }: ExpectedChange) =>
  JSON.stringify([issue, kind, by, at, Object.entries(values).sort()]);

/** People with a random generator of their own, so that a seed repeats the run. */
async function openScript(server: RedmineServer, seed: number) {
  let state = seed;
  const random = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] ?? (items[0] as T);
  const issues: string[] = [];
  const removed: string[] = [];
  const recorded: ExpectedChange[] = [];
  let projects: readonly number[] = [];
  let people: readonly Person[] = [];
  let web: WebSession;
  const change = () => {
    const all = [
      { subject: `Subject ${random(1e6)} & <more>` },
      { status_id: 1 + random(6) },
      { priority_id: 1 + random(5) },
      { assigned_to_id: pick(people).id },
      { assigned_to_id: '' },
      { due_date: `2027-0${1 + random(9)}-1${random(10)}` },
      { done_ratio: 10 * random(11) },
      { estimated_hours: 1 + random(40) / 2 },
      { tracker_id: 1 + random(3) },
      { project_id: pick(projects) },
      { notes: 'Only a comment.' },
    ];
    return { ...pick(all), ...(random(3) === 0 ? pick(all) : {}) };
  };
  const create = async () => {
    const issue = { project_id: pick(projects), subject: `Issue ${issues.length}`, tracker_id: 1 + random(3) };
    issues.push(await createIssue(server, pick(people).key, issue));
  };
  /** Her role stays, so that bulk edits and hours are accepted. */
  const manager = () => people[0] ?? pick(people);
  /** Some people may not edit issues at times. */
  const edit = async (id: string) => {
    const { status } = await request(server, pick(people).key, 'PUT', `issues/${id}.json`, { issue: change() });
    if (status >= 300 && status !== 403 && status !== 422) throw new Error(`issue ${id}: ${status}`);
  };
  return {
    async prepare() {
      projects = [await createProject(server, 'Alpha'), await createProject(server, 'Beta', false)];
      people = [
        await createPerson(server, 'Ann', projects),
        await createPerson(server, 'Ben', projects),
        await createPerson(server, 'Cem', projects),
      ];
      web = await logIn(server, 'ann');
      for (let count = 0; count < 25; count++) await create();
    },
    /** Some changes between two polls. */
    async act() {
      for (let count = 1 + random(5); count > 0; count--) {
        const kind = random(20);
        if (kind < 3) await create();
        else if (kind === 3) {
          const hours = { issue_id: Number(pick(issues)), hours: 1 + random(5), activity_id: 8 };
          await act(server, manager().key, 'POST', 'time_entries.json', { time_entry: hours });
        } else if (kind === 4 || kind === 7) {
          const several = issues.filter(() => random(2) === 0).slice(0, MAX_BULK);
          if (several.length > 1) await web.bulkEdit(several, { priority_id: String(1 + random(5)) });
        } else if (kind === 5) {
          await act(server, server.adminKey, 'PUT', `projects/${pick(projects)}.json`, {
            project: { name: `Name ${random(1e6)}` },
          });
        } else if (kind === 6) {
          await changeRole(server, pick(people.slice(1)), pick(projects), 3 + random(3));
        } else {
          // Two edits of one issue between two polls, at times by two people.
          const id = pick(issues);
          await edit(id);
          if (random(3) === 0) await edit(id);
        }
      }
    },
    /** With its journals, Redmine forgets that the issue was. */
    async remove() {
      if (issues.length < 10) return;
      // Not the last one: SQLite would give its id to the next.
      const [id = ''] = issues.splice(random(issues.length - 1), 1);
      recorded.push(...readExpected(server, [id]));
      await act(server, server.adminKey, 'DELETE', `issues/${id}.json`);
      removed.push(id);
    },
    recorded: () => recorded,
    removed: () => removed,
  };
}

function judge(
  expected: readonly ExpectedChange[],
  transitions: readonly Transition[],
  removed: readonly string[],
): Omit<RedmineTruth, 'polls' | 'requests'> {
  const lost: string[] = [];
  const wrong: string[] = [];
  const unexpected: string[] = [];
  const open = new Map<string, ExpectedChange[]>();
  for (const one of expected) open.set(keyOf(one), [...(open.get(keyOf(one)) ?? []), one]);
  const seen = new Set<string>();
  const doubled: string[] = [];
  const deleted: string[] = [];
  let events = 0;
  for (const { before, after } of transitions) {
    const { key, record, by, occurred, deletedAt } = after;
    if (key.resource !== 'task') continue;
    const derived = deriveEvents({ before, after });
    events += derived.length;
    for (const { id } of derived) {
      if (seen.has(id)) doubled.push(`${id} of task ${key.id}`);
      seen.add(id);
    }
    if (deletedAt !== null) {
      deleted.push(key.id);
      continue;
    }
    const changes = before === null ? [] : compare(before.record, record, resourceOf('task')).changes;
    // Hours are not journalled.
    const journalled = changes.filter(({ field }) => !['dateclosed', 'actual'].includes(field));
    if (before !== null && journalled.length === 0) continue;
    const values = Object.fromEntries(journalled.map(({ field, to }) => [field, JSON.stringify(to)]));
    const kind = before === null ? 'created' : 'updated';
    const found = {
      issue: key.id,
      kind,
      by: by?.id ?? 'nobody',
      at: occurred.before.slice(0, 19),
      values,
      state: null,
    } as const;
    const matches = open.get(keyOf(found)) ?? [];
    const match = matches.shift();
    if (match === undefined) {
      unexpected.push(keyOf(found));
      continue;
    }
    const types = derived.map(({ type }) => type);
    const closing = types.includes('task.closed') ? 'closed' : types.includes('task.reopened') ? 'reopened' : null;
    if (closing !== match.state) wrong.push(`${keyOf(found)}: expected ${match.state}, got ${types.join()}`);
    if (types.length === 0) wrong.push(`${keyOf(found)}: no event`);
  }
  const missing = [...open.values()].flat();
  const undone = new Set(missing.filter((one) => isUndone(one, missing, transitions)));
  lost.push(...missing.filter((one) => !undone.has(one)).map(keyOf));
  const deletions = [
    ...removed.filter((id) => deleted.filter((one) => one === id).length !== 1).map((id) => `task ${id} was deleted`),
    ...deleted.filter((id) => !removed.includes(id)).map((id) => `task ${id} was not deleted`),
  ];
  return {
    changes: expected.length - undone.size,
    events,
    differences: { lost, false: unexpected, doubled, wrong, deletions },
  };
}

/**
 * Whether the change was undone within two seconds, in which the issue was also read: Redmine dates edits and journals in whole
 * seconds, so that the values before and after are the same. docs/redmine.md names this limit.
 */
function isUndone(
  { issue, at }: ExpectedChange,
  missing: readonly ExpectedChange[],
  transitions: readonly Transition[],
): boolean {
  const isNear = (other: unknown) => Math.abs(secondOf(String(other)) - secondOf(at)) <= 2;
  const together = missing.filter((one) => one.issue === issue && isNear(one.at));
  const own = transitions.filter(({ after }) => after.key.resource === 'task' && after.key.id === issue);
  const isRead = own.some(({ before, after }) =>
    [before?.record.datemodified, after.record.datemodified].some((date) => date !== undefined && isNear(date)),
  );
  const last =
    together
      .map((one) => one.at)
      .sort()
      .at(-1) ?? at;
  const next = own.find(({ after }) => after.occurred.before.slice(0, 19) > last);
  const record = next?.before?.record ?? own.at(-1)?.after.record;
  const values = Object.entries(Object.assign({}, ...together.map((one) => one.values)));
  return (
    isRead && together.length > 1 && values.every(([field, value]) => JSON.stringify(record?.[field] ?? null) === value)
  );
}

const secondOf = (text: string) => Date.parse(`${text.slice(0, 19)}Z`) / 1000;
