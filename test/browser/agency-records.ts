/** The records of a small agency in the stores: projects, people, statuses and tasks, as a poll leaves them. */

import type { Fields } from '../../core/model/record.ts';
import type { ConsoleWorld } from '../console/console-world.ts';
import { snapshot } from '../samples.ts';

const PROJECTS = ['Product film', 'Website relaunch', 'Annual report'] as const;
const PEOPLE = [
  ['Ann', 'Vogt', 'ann@example.com'],
  ['Ben', 'Okafor', 'ben@example.com'],
  ['Zoë', 'Lind', 'zoe@example.com'],
] as const;
const STATUSES = ['Open', 'In Progress', 'Staged', 'Closed'] as const;

export async function fillRecords({ embedded }: Pick<ConsoleWorld, 'embedded'>): Promise<void> {
  const put = (resource: string, id: string, record: Fields) => ({
    snapshot: snapshot(id, { key: { source: 'main', resource, id }, record: { id, ...record } }),
    expected: 0,
  });
  await embedded.snapshots.commit([
    ...PROJECTS.map((name, index) => put('project', `${index + 1}`, { name })),
    ...PEOPLE.map(([firstname, lastname, email], index) =>
      put('person', `${index + 1}`, { firstname, lastname, email }),
    ),
    ...STATUSES.map((status, index) =>
      put('task', `${index + 1}`, {
        title: `Task ${index + 1}`,
        status,
        severity: `P${index + 1}`,
        project: PROJECTS[index % PROJECTS.length] ?? '',
        assignees: [`${PEOPLE[index % PEOPLE.length]?.slice(0, 2).join(' ')}`],
      }),
    ),
  ]);
}
