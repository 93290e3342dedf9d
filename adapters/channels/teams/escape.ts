/** Escapes text for Adaptive Cards. */

import { escapeMarkdown } from '../../../core/messages/escape-markdown.ts';

/** For the texts in which Markdown is parsed. */
export function escapeTeams(text: string): string {
  return escapeFunctions(escapeMarkdown(text));
}

/** Cards replace `{{DATE(…)}}` and `{{TIME(…)}}` in every text, also where Markdown is not parsed. */
export function escapeFunctions(text: string): string {
  return text.replaceAll(/\{(?=\{\s*(?:DATE|TIME)\s*\\?\()/gi, '{\u200b');
}
