/**
 * Judges the messages of a storm as people read them: reader, names, amounts and the numbers in the title. A storm delays and
 * distorts what is polled, so a message must be true of a state that was committed when it was sent. Processes work
 * concurrently and a dead one may have a message on its way: every state since the step before counts.
 */

import type { Fields, Value } from '../../core/model/record.ts';
import type { ChangeFeed, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { AMOUNTS, findWrongCounts, hasOtherName, NAMES } from './judge-message.ts';
import type { ReadMessage } from './read-message.ts';

interface JudgePorts {
  readonly snapshots: Pick<SnapshotStore, 'list'>;
  readonly feed: Pick<ChangeFeed, 'read'>;
}

/** A message that arrived. */
export interface Arrived {
  readonly message: ReadMessage;
  /** The address of the only reader. @default - a team, which may read about every record */
  readonly address?: string;
}

const ALL = 100_000;
const RESOURCES = ['task', 'person', 'invoice'];

export function createStormJudge({ snapshots, feed }: JudgePorts) {
  /** The states of a record, such as `task/7`, in the order of their versions. */
  const states = new Map<string, Map<number, Fields>>();
  /** The version of each record when the last step began, and when the one before it did. */
  let begun: ReadonlyMap<string, number> = new Map();
  let begunBefore: ReadonlyMap<string, number> = new Map();
  const judged = { names: 0, amounts: 0, titles: 0, readers: 0 };

  const note = (resource: string, id: string, version: number, record: Fields) => {
    const name = `${resource}/${id}`;
    states.set(name, (states.get(name) ?? new Map<number, Fields>()).set(version, record));
  };

  const observe = async () => {
    for (const { transition } of await feed.read('checks', ALL)) {
      const { key, version, record } = transition.after;
      if (RESOURCES.includes(key.resource)) note(key.resource, key.id, version, record);
    }
    for (const resource of RESOURCES)
      for await (const { key, version, record } of snapshots.list('main', resource))
        note(resource, key.id, version, record);
  };

  /** The states that a message which arrived in the last step may describe. */
  const statesOf = (name: string): readonly Fields[] => {
    const from = begunBefore.get(name) ?? 0;
    return [...(states.get(name) ?? [])].filter(([version]) => version >= from).map(([, record]) => record);
  };

  const namesOf = (id: string) =>
    statesOf(`person/${id}`).map(({ firstname, lastname }) => [firstname, lastname].filter(Boolean).join(' '));
  const addressesOf = (id: string) => statesOf(`person/${id}`).map(({ email }) => String(email));

  const findStrangeReaders = ({ message, address }: Arrived): string[] => {
    if (address === undefined) return [];
    const tasks = message.records.filter((record) => record.startsWith('task/'));
    judged.readers += tasks.length;
    const isOwn = (record: string) =>
      statesOf(record).some(({ assigneeid }) => idsIn(assigneeid).some((id) => addressesOf(id).includes(address)));
    return tasks
      .filter((record) => !isOwn(record))
      .map((record) => `${address} is told of ${record}: ${message.title}`);
  };

  const findWrongNames = ({ records, lines, text }: ReadMessage): string[] => {
    const tasks = records.filter((record) => record.startsWith('task/'));
    // A role that hides people leaves names without ids.
    if (tasks.some((record) => statesOf(record).some(({ assigneeid }) => assigneeid === undefined))) return [];
    const peopleOf = (record: string) => statesOf(record).map(({ assigneeid }) => idsIn(assigneeid));
    const allNames = (record: string) => peopleOf(record).flat().flatMap(namesOf);
    const facts = [...text.matchAll(new RegExp(NAMES, 'gm'))].map(([, line = '']) => line);
    judged.names += facts.length;
    const isWhole = (line: string) =>
      tasks.length !== 1 ||
      peopleOf(tasks[0] ?? '').some((ids) => ids.every((id) => namesOf(id).some((name) => line.includes(name))));
    return [
      ...facts
        .filter((line) => hasOtherName(line, tasks.flatMap(allNames)) || !isWhole(line))
        .map((line) => `assigned to '${line}', not to ${tasks.flatMap(allNames).join('; ')}`),
      ...lines
        .filter(({ record, who }) => record.startsWith('task/') && hasOtherName(who, allNames(record)))
        .map(({ record, who }) => `${record} of '${who}', not of ${allNames(record).join('; ')}`),
    ];
  };

  const findWrongAmounts = ({ records, title, text }: ReadMessage): string[] => {
    const invoices = records.filter((record) => record.startsWith('invoice/'));
    const balances = invoices.flatMap(statesOf).map(({ balance }) => Number(balance));
    const amounts = [...`${title}\n${text}`.matchAll(new RegExp(AMOUNTS, 'g'))];
    judged.amounts += amounts.length;
    return amounts
      .filter(([, amount = '']) => !balances.includes(Number(amount.replaceAll(',', ''))))
      .map(([amount]) => `${amount}, but the balances were ${balances.join(', ')}`);
  };

  return {
    /** What was judged so far, by kind. */
    judged: judged as Readonly<typeof judged>,

    /** A step is over: judges what arrived in it. Returns one line per problem. */
    async finishStep(arrived: readonly Arrived[]): Promise<readonly string[]> {
      await observe();
      const problems = arrived.flatMap((one) => {
        judged.titles += one.message.lines.length > 0 ? 1 : 0;
        return [
          ...findStrangeReaders(one),
          ...findWrongNames(one.message),
          ...findWrongAmounts(one.message),
          ...findWrongCounts(one.message),
        ];
      });
      begunBefore = begun;
      begun = new Map([...states].map(([name, versions]) => [name, Math.max(...versions.keys())]));
      return problems;
    },
  };
}

const idsIn = (value: Value | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
