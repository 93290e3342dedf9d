/** Shared by the sanitizers of descriptions and templates: the allowed links and characters. */

import type { IOptions } from 'sanitize-html';

/** Mail clients and browsers cut or reject longer links. */
const MAX_LINK_LENGTH = 2000;

/**
 * The URL as a browser reads it, which undoes tricks such as `java\nscript:`. Undefined for a relative URL, which leads
 * nowhere in a mail, and for one with credentials, which hides its host (`https://bank.example@evil.example`).
 */
export function safeLink(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? '');
  if (url === null || url.username !== '' || url.password !== '' || url.href.length > MAX_LINK_LENGTH) return undefined;
  return /^(?:https?|mailto):/.test(url.href) ? url.href : undefined;
}

/** Control characters, and bidirectional marks, which change the direction of all following text. */
const INVISIBLE = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export function visibleText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(INVISIBLE, '');
}

/**
 * Replaces a tag that is removed while its content is kept. It must be an allowed tag: sanitize-html 2.18 writes the wrong
 * close tag after one that was renamed to a tag that is not allowed.
 */
export const UNWRAPPED = 'span';

export const BASE_OPTIONS = {
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  // No style attribute is allowed, so none is parsed. The functions in AWS have no parser for them: see lib/bundle.ts.
  parseStyleAttributes: false,
  // Their content is not text for readers.
  nonTextTags: [
    ...['script', 'style', 'textarea', 'title', 'iframe', 'noscript', 'noembed', 'noframes', 'xmp', 'plaintext'],
    ...['select', 'option', 'datalist', 'template', 'svg', 'math', 'xml'],
  ],
} satisfies IOptions;
