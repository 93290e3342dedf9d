/**
 * Small values stored once and referenced by a number: the people on a task, the texts users typed.
 * A column of numbers can then hold a million lists or texts.
 */

/** Lists of ids; 0 is the empty list. */
export class InternedLists {
  readonly #lists: (readonly number[])[] = [[]];
  readonly #codes = new Map<string | number, number>();

  code(list: readonly number[]): number {
    if (list.length === 0) return 0;
    const key = list.length === 1 ? (list[0] ?? 0) : list.join();
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#lists.push(Object.freeze([...list])) - 1;
      this.#codes.set(key, code);
    }
    return code;
  }

  list(code: number): readonly number[] {
    return this.#lists[code] ?? [];
  }
}

const TYPED = 0x8000_0000;

/** Texts: a code below 2^31 is composed by a phrase book when asked for, one above was typed by a user and is stored. */
export class PhrasedTexts {
  readonly #compose: (code: number) => string;
  readonly #typed: string[] = [];

  constructor(compose: (code: number) => string) {
    this.#compose = compose;
  }

  code(text: string): number {
    if (text === '') return TYPED - 1;
    return TYPED + this.#typed.push(text) - 1;
  }

  text(code: number): string {
    if (code === TYPED - 1) return '';
    return code >= TYPED ? (this.#typed[code - TYPED] ?? '') : this.#compose(code);
  }
}
