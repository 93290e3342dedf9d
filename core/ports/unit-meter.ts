/** Port: counts the capacity units of the database that work consumes. Only DynamoDB has them. */

export interface UnitMeter {
  /** Calls `use` for each request that the work makes to the tables. */
  run<T>(use: UnitUse, work: () => Promise<T>): Promise<T>;
}

export interface UnitUse {
  /** Called before a request that reads. What it throws, the work gets. */
  readonly beforeRead: () => void;
  /** Called after a request, which waits for it. Must not throw: a write was made. */
  readonly count: (units: number) => Promise<void>;
}
