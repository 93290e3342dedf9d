/** Cuts a text to the longest start that fits a limit which is not a number of characters, such as bytes of JSON. */

const CUT_SIGN = '…';

/** Whole if it fits. `fits` must hold for every start of a text for which it holds. Does not split a surrogate pair. */
export function fitText(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(startOf(text, middle))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : startOf(text, low);
}

function startOf(text: string, length: number): string {
  const start = text.slice(0, length);
  // A backslash at the end would escape the sign. The lookbehind tries each run of them once: linear time.
  return `${(start.isWellFormed() ? start : start.slice(0, -1)).replace(/(?<!\\)\\+$/, '').trimEnd()}${CUT_SIGN}`;
}
