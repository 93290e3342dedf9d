/** Characters that nobody sees and that change how a text is read: names and addresses of people's choice contain none. */

/** Control characters, separators of lines, and bidirectional marks. */
export const HIDDEN_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
