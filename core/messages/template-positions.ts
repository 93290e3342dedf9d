/** Where the variables of a template are, for messages about them. */

import { Token } from 'liquidjs';

/** Where the lines of the text that was asked for last start. */
const lines = { of: '', starts: [0] };

/**
 * Liquid counts from the start of the text for each variable that it finds. That takes seconds for a long template, and holds up
 * every other delivery.
 */
export function findPositionsFast(): void {
  Token.prototype.getPosition = function (this: Token): [number, number] {
    const { input, begin } = this;
    if (lines.of !== input) {
      lines.of = input;
      lines.starts = [0, ...Array.from(input.matchAll(/\n/g), ({ index }) => index + 1)];
    }
    let [first, last] = [0, lines.starts.length - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((lines.starts[middle] ?? 0) <= begin) first = middle;
      else last = middle - 1;
    }
    return [first + 1, begin - (lines.starts[first] ?? 0) + 1];
  };
}
