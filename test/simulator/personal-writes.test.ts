/** What a person does to a task with their own token: the journal and the notes of the task name them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator, WireRecord } from '../../simulator/simulator.ts';
import { ask, list, startStill } from './api-client.ts';

let simulator: Simulator;
let task: WireRecord;
let closed: string;

beforeAll(async () => {
  simulator = await startStill();
  const [open] = await list(simulator, '/task/?excludeclosed=t&limit=1');
  if (open === undefined) throw new Error('no open task');
  task = open;
  const statuses = await list(simulator, '/taskstatus/?limit=100');
  closed = String(statuses.find(({ name }) => name === 'Closed')?.id);
});
afterAll(() => simulator.stop());

/** The person of a token. */
async function me(token: string): Promise<WireRecord> {
  const response = await ask(simulator, '/me/', { token });
  const [person] = response.json.me as WireRecord[];
  if (person === undefined) throw new Error('no person');
  return person;
}

const put = (token: string, body: object, id = String(task.id)) =>
  ask(simulator, `/task/${id}/`, { token, method: 'PUT', body });

const lastEntry = (resource: string) => simulator.account.journal.read({ since: 0, resource }).at(-1);

describe('a write with a personal token', () => {
  it('closes a task, moves its due date and assigns it, in the name of the person', async () => {
    const token = simulator.tokens.Resource[0] ?? '';
    const { id: person } = await me(token);
    for (const [body, change] of [
      [{ datedue: '2026-12-24' }, 'datedue'],
      [{ assigneeid: person }, 'assigneeid'],
      [{ statusid: closed }, 'status'],
    ] as const) {
      const response = await put(token, body);
      expect([response.status, response.json.personid]).toEqual([202, person]);
      expect(lastEntry('task')).toMatchObject({ by: person, action: 'updated', id: task.id });
      expect(lastEntry('tasknote')).toMatchObject({ by: person, after: { taskid: task.id, personid: person } });
      expect(lastEntry('task')?.after?.[change]).not.toEqual(lastEntry('task')?.before?.[change]);
    }
    expect((await ask(simulator, `/task/${task.id}/`)).json.task).toMatchObject({
      status: 'Closed',
      dateclosed: '2026-11-14',
      datedue: '2026-12-24',
      assigneeid: person,
    });
    const notes = await list(simulator, `/tasknote/?taskid=${task.id}&limit=100`);
    expect(notes.filter(({ personid }) => personid === person)).toHaveLength(3);
  });

  it('is refused with the error of the API, and changes nothing', async () => {
    const before = simulator.account.journal.last;
    const [resource = '', restricted = ''] = simulator.tokens.Resource;
    const { id: own } = await me(restricted);
    const tasks = await list(simulator, '/task/?limit=1000');
    const hidden = tasks.find(
      ({ ownerid, assigneeid }) => ![ownerid, assigneeid].join().split(',').includes(String(own)),
    );
    const refused = async (token: string, body: object, id?: string) => {
      const { status, json } = await put(token, body, id);
      return [status, json.error.code, json.error.message];
    };
    expect(await refused('0'.repeat(24), {})).toEqual([401, 3, expect.any(String)]);
    expect(await refused(simulator.tokens.Executive[0] ?? '', {})).toEqual([
      403,
      10,
      expect.stringContaining('Executive'),
    ]);
    expect(await refused(resource, { datedue: '31.12.2026' })).toEqual([400, 18, expect.stringMatching(/^datedue: /)]);
    expect(await refused(resource, { assigneeid: '999999' })).toEqual([
      400,
      18,
      expect.stringMatching(/^assigneeid: /),
    ]);
    expect(await refused(resource, {}, '999999')).toEqual([404, 14, expect.any(String)]);
    expect(await refused(restricted, { datedue: '2026-12-24' }, String(hidden?.id))).toEqual([
      404,
      14,
      expect.any(String),
    ]);
    expect(simulator.account.journal.last).toBe(before);
  });
});
