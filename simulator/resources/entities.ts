/**
 * HTML entities as the service writes them into plain-text fields.
 * Encodes only: clients decode them, the simulator never does.
 */

const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
  ä: '&auml;',
  ö: '&ouml;',
  ü: '&uuml;',
  Ä: '&Auml;',
  Ö: '&Ouml;',
  Ü: '&Uuml;',
  ß: '&szlig;',
  á: '&aacute;',
  à: '&agrave;',
  â: '&acirc;',
  å: '&aring;',
  ç: '&ccedil;',
  é: '&eacute;',
  è: '&egrave;',
  ê: '&ecirc;',
  ë: '&euml;',
  ã: '&atilde;',
  æ: '&aelig;',
  î: '&icirc;',
  ï: '&iuml;',
  û: '&ucirc;',
  É: '&Eacute;',
  í: '&iacute;',
  ñ: '&ntilde;',
  ó: '&oacute;',
  ô: '&ocirc;',
  ø: '&oslash;',
  Ø: '&Oslash;',
  ú: '&uacute;',
  '’': '&rsquo;',
  '‘': '&lsquo;',
  '“': '&ldquo;',
  '”': '&rdquo;',
  '–': '&ndash;',
  '—': '&mdash;',
  '…': '&hellip;',
  '€': '&euro;',
  '£': '&pound;',
};

/** Plain ASCII without & < > " ' \\: most texts, recognized by one test. */
const NEEDS_ENCODING = /[^ !#-%(-;=?-[\]-~]/;
const ENCODABLE = /[&<>"'\u0080-\uffff]/g;

/** Characters without a named entity stay unchanged: the body is UTF-8. */
export function encodeEntities(text: string): string {
  return NEEDS_ENCODING.test(text) ? text.replace(ENCODABLE, (character) => NAMED[character] ?? character) : text;
}
