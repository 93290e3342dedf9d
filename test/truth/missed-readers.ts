/** Whether everybody who should read of an overdue task did, also the person it was handed to while the message waited. */

import type { Account } from '../../simulator/simulator.ts';
import type { ReadMessage } from './read-message.ts';

/** An event, as far as it matters here. */
interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
}

export function createReadership(account: Account) {
  /** The addresses that were told of a record. */
  const told = new Map<string, Set<string>>();
  /** Addresses with a message that does not list all its records. */
  const unlisted = new Set<string>();
  const judged = new Set<string>();

  return {
    /** A message arrived. */
    note({ records, unlisted: more }: ReadMessage, address: string): void {
      if (more > 0) unlisted.add(address);
      for (const record of records) told.set(record, (told.get(record) ?? new Set()).add(address));
    },

    /** Those who were not told, at a time when nothing waits. Each event is judged once. */
    findMissed(events: readonly RecordedEvent[]): string[] {
      const open = new Map(account.list('task', { excludeclosed: 't' }).map((task) => [`task/${task.id}`, task]));
      const people = account.list('person').filter(({ active }) => active === 't');
      return events
        .filter(({ id, type }) => type === 'task.overdue' && !judged.has(id))
        .flatMap(({ id, subject }) => {
          judged.add(id);
          const { assigneeid, datedue } = open.get(subject) ?? {};
          if (typeof datedue !== 'string' || datedue === '' || datedue >= account.today()) return [];
          const ids = (assigneeid ?? '').split(',');
          const addresses = people.flatMap((person) =>
            ids.includes(person.id ?? '') && person.email ? [person.email] : [],
          );
          return addresses
            .filter((address) => told.get(subject)?.has(address) !== true && !unlisted.has(address))
            .map(
              (address) =>
                `${new Date(account.clock.now()).toISOString()} ${address} was not told that ${subject} is overdue: ${id}`,
            );
        });
    },

    /** The number of judged events. */
    get judged(): number {
      return judged.size;
    },
  };
}
