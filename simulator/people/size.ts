/** The number of records of each kind in a generated account. */

export interface Size {
  tasks: number;
  projects: number;
  clients: number;
  people: number;
  invoices: number;
  timeEntries: number;
  expenses: number;
  documents: number;
}

/** Typical sizes for an account with this many tasks. */
export function sizeFor(tasks: number, given: Partial<Size> = {}): Size {
  const between = (low: number, value: number, high: number) => Math.round(Math.min(high, Math.max(low, value)));
  const projects = given.projects ?? between(3, tasks / 20, 5000);
  return {
    tasks,
    projects,
    clients: given.clients ?? between(2, projects / 4, 800),
    people: given.people ?? between(10, Math.sqrt(tasks) / 2 + 8, 500),
    invoices: given.invoices ?? between(12, tasks / 5, 20_000),
    timeEntries: given.timeEntries ?? between(20, tasks * 2, 60_000),
    expenses: given.expenses ?? between(8, tasks / 10, 5_000),
    documents: given.documents ?? between(12, tasks / 10, 5_000),
  };
}
