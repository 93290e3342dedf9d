/** Makes external text safe for a mail header. Encodes nothing: the transport does. */

import { clip } from '../../../core/messages/clip.ts';

/** Text for a header. Breaks encoded words (`=?UTF-8?Q?…?=`) in external text, which could decode to line breaks. */
export function headerText(text: string, length: number): string {
  return clip(text.replaceAll('=?', '= ?'), length);
}
