/** Pictures of pages for the docs, made by the tests that walk them: `PICTURES=1 npm run test:browser`. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';

const IMAGES = join(import.meta.dirname, '../../docs/images');

/** Takes the picture, so that a page that cannot be drawn fails, and keeps it if pictures are asked for. */
export async function takePicture(
  page: Page,
  name: string,
  options: { readonly isWhole?: boolean } = {},
): Promise<void> {
  const isKept = process.env.PICTURES !== undefined;
  await page.screenshot({
    fullPage: options.isWhole ?? false,
    animations: 'disabled',
    ...(isKept ? { path: join(IMAGES, `${name}.png`) } : {}),
  });
}
