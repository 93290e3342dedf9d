/** Public API of `tidings/cdk`. */

export type { TidingsProps } from './options.ts';
export { Tidings } from './tidings.ts';
export { type ExistingTables, TidingsData, type TidingsDataProps } from './tidings-data.ts';
export { TidingsStack, type TidingsStackProps } from './tidings-stack.ts';
