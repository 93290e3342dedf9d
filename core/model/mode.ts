/** The two modes in which Tidings runs: one process with SQLite, or functions in AWS. */

export type Mode = 'embedded' | 'aws';
