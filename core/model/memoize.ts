/** Answers that are computed once: a scan asks the same few things of 100,000 records. Knows nothing of what is asked. */

/** Remembers up to so many answers, then begins anew. An answer is shared by all who ask: nobody may write to it. */
export function memoize<Key, Answer>(compute: (key: Key) => Answer, most = 20_000): (key: Key) => Answer {
  const answers = new Map<Key, Answer>();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (answers.size >= most) answers.clear();
    const answer = compute(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Longer texts are seldom the same twice, and would fill memory. */
const LONG = 100;

/** The same for texts that come from outside, of any length and number. */
export function memoizeText<Answer>(compute: (text: string) => Answer, most = 5_000): (text: string) => Answer {
  const recall = memoize(compute, most);
  return (text) => (text.length > LONG ? compute(text) : recall(text));
}
