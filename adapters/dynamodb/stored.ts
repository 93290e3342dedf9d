/** Compares a value with its stored form. */

import { isDeepStrictEqual } from 'node:util';

/** Whether `stored` is what DynamoDB returns for `value`: it keeps neither the order of keys nor undefined values. */
export function isStoredAs(stored: unknown, value: object): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(value)));
}
