/** The fields of filters with the account's own values: what a key may not see is not offered to it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFilterFields } from '../../manage/api/filter-fields.ts';
import { snapshot } from '../samples.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld();
  const put = (resource: string, id: string, record: Record<string, string | string[]>) => ({
    snapshot: snapshot(id, { key: { source: 'main', resource, id }, record: { id, ...record } }),
    expected: 0,
  });
  await world.embedded.snapshots.commit([
    put('project', '1', { name: 'Secret merger' }),
    put('project', '2', { name: 'Website relaunch' }),
    put('person', '1', { firstname: 'Ann', lastname: 'Vogt' }),
    put('task', '1', {
      title: 'A',
      status: 'Open',
      project: 'Website relaunch',
      assignees: ['Ann Vogt', 'Ben Okafor'],
    }),
    put('invoice', '1', { title: 'B', status: 'Draft', project: 'Website relaunch' }),
  ]);
});
afterAll(() => world.stop());

async function valuesOf(key: string, events: string, token?: string): Promise<readonly string[] | undefined> {
  const { status, body } = await world.ask('GET', `/filters/fields?events=${events}`, undefined, {
    key: token ?? world.admin,
  });
  expect(status).toBe(200);
  return body.data.find((field: { key: string }) => field.key === key)?.values;
}

describe('the values of a field', () => {
  it('are those of the account', async () => {
    expect(await valuesOf('project', 'task.overdue')).toEqual(['Secret merger', 'Website relaunch']);
    expect(await valuesOf('assignee', 'task.overdue')).toEqual(['Ann Vogt']);
    expect(await valuesOf('status', 'task.*')).toEqual(['Open']);
    expect(await valuesOf('status', 'task.*,invoice.*')).toEqual(['Draft', 'Open']);
    expect(await valuesOf('due', 'task.*')).toEqual([]);
  });

  it('are only of records that the key may see', async () => {
    const { token } = await world.makeKey(['subscribe'], ['task.*']);
    // From its own tasks: which other projects and people there are, it does not learn.
    expect(await valuesOf('project', '*', token)).toEqual(['Website relaunch']);
    expect(await valuesOf('assignee', '*', token)).toEqual(['Ann Vogt', 'Ben Okafor']);
    expect(await valuesOf('status', '*', token)).toEqual(['Open']);
    const { token: narrow } = await world.makeKey(['subscribe'], ['task.overdue']);
    for (const key of ['project', 'assignee', 'status']) expect(await valuesOf(key, '*', narrow)).toEqual([]);
    const { token: other } = await world.makeKey(['operate'], ['invoice.*']);
    expect(await valuesOf('assignee', '*', other)).toBeUndefined();
    expect(await valuesOf('status', 'task.*,invoice.*', other)).toEqual(['Draft']);
  });

  it('take one read of the records of each resource', async () => {
    const read: string[] = [];
    const { snapshots } = world.embedded;
    const counting = {
      ...snapshots,
      list: (source: string, resource: string) => {
        read.push(resource);
        return snapshots.list(source, resource);
      },
    };
    const api = { ...world.api, snapshots: counting };
    const fields = await listFilterFields(api, { kind: 'command', id: 'ann', scopes: ['admin'] }, ['task.*']);
    expect(fields.find(({ key }) => key === 'status')?.values).toEqual(['Open']);
    expect(read.length).toBe(new Set(read).size);
    expect(read).toContain('task');
  });

  it('says what it expects of the parameter', async () => {
    const { status, body } = await world.ask('GET', '/filters/fields?events=Task!');
    expect(status).toBe(400);
    expect(body.detail).toContain("such as 'task.overdue,invoice.*'");
  });
});

it('each field has one word, the common ones first', async () => {
  const { body } = await world.ask('GET', '/filters/fields?events=task.*');
  const keys: readonly string[] = body.data.map(({ key }: { key: string }) => key);
  expect(keys.slice(0, 6)).toEqual(['project', 'client', 'status', 'assignee', 'owner', 'priority']);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain('datedue');
  expect(keys).not.toContain('severity');
  expect(keys).not.toContain('projectid');
});
