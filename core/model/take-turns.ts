/** A fair order: who has much does not come before others with all of it. */

/** The first of each party, then the second of each, and so on. */
export function takeTurns<T>(all: readonly T[], partyOf: (one: T) => string): readonly T[] {
  const taken = new Map<string, number>();
  const turns = all.map((one) => {
    const party = partyOf(one);
    const turn = taken.get(party) ?? 0;
    taken.set(party, turn + 1);
    return { one, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ one }) => one);
}
