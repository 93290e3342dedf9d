/** Lets other work of the process run in between. Long work calls it after each piece of a few milliseconds at most. */

/** Returns at once most of the time. Throws if the work has taken too long. */
export type Pace = () => Promise<void>;

export const UNPACED: Pace = async () => {};
