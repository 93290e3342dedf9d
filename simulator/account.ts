/** The tasks of a small agency, and the people who work on them. */

export type Task = Readonly<Record<string, string | null>>;

export interface Account {
  tasks(): readonly Task[];
  /** Returns the new task's id. */
  create(resource: 'task', fields: Readonly<Record<string, string>>): string;
  update(resource: 'task', id: string, fields: Readonly<Record<string, string>>): void;
  /** One thing somebody does: a task is opened or closed. */
  live(): void;
}

const PROJECTS = [
  ['Website relaunch', 'Northwind Traders'],
  ['Autumn campaign', 'Café Lumière'],
  ['Annual report', 'Harbour & Sons'],
] as const;

const WORK = ['Draft', 'Review', 'Publish', 'Fix', 'Translate', 'Photograph', 'Proofread'];
const THINGS = ['the landing page', 'the press kit', 'the price list', 'the newsletter', 'the team portraits'];

export function account(seed: number, count: number): Account {
  let state = seed;
  const random = (below: number) => {
    // A linear congruential generator: the same seed, the same account.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const tasks = new Map<string, Task>();

  const create: Account['create'] = (_, fields) => {
    const id = String(tasks.size + 1);
    const [project, client] = pick(PROJECTS);
    const title = `${pick(WORK)} ${pick(THINGS)}`;
    const task = {
      id,
      localid: id,
      title,
      project,
      client,
      status: 'Open',
      statusid: '1',
      dateclosed: '',
      assigneeid: '2',
    };
    tasks.set(id, { ...task, ...fields });
    return id;
  };
  const update: Account['update'] = (_, id, fields) => {
    const task = tasks.get(id);
    if (task === undefined) throw new Error(`no task ${id}`);
    tasks.set(id, { ...task, ...fields });
  };
  for (let n = 0; n < count; n++) create('task', {});

  return {
    tasks: () => [...tasks.values()],
    create,
    update,
    live() {
      const open = [...tasks.values()].filter(({ status }) => status === 'Open');
      if (open.length < 5 || random(2) === 0) create('task', {});
      else update('task', String(pick(open).id), { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
    },
  };
}
