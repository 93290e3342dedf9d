/** Pictures of pages for the docs, made by the tests that walk them: `npm run pictures`. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';

const IMAGES = join(import.meta.dirname, '../../docs/images');

interface PictureOptions {
  /** The whole page, not only what the window shows. @default false */
  readonly isWhole?: boolean;
  /** Up to this height in pixels. @default - the window, or the whole page */
  readonly height?: number;
}

/** Takes the picture, so that a page that cannot be drawn fails, and keeps it if pictures are asked for. */
export async function takePicture(
  page: Page,
  name: string,
  { isWhole = false, height }: PictureOptions = {},
): Promise<void> {
  const isKept = process.env.PICTURES !== undefined;
  if (isKept && !(await drawsEmoji(page))) {
    throw new Error('pictures need a font with emoji in colour; on Debian: apt install fonts-noto-color-emoji');
  }
  const width = page.viewportSize()?.width ?? 0;
  // What is as high as the window is as high as the page.
  if (isWhole) {
    await page.evaluate('scrollTo(0, 0); document.activeElement?.blur();');
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ width, height: whole });
  }
  await page.screenshot({
    fullPage: isWhole,
    animations: 'disabled',
    ...(height === undefined ? {} : { clip: { x: 0, y: 0, width, height } }),
    ...(isKept ? { path: join(IMAGES, `${name}.png`) } : {}),
  });
}

/** Without such a font, emoji are empty boxes in the colour of the text. */
function drawsEmoji(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const context = Object.assign(document.createElement('canvas'), { width: 32, height: 32 }).getContext('2d');
    context.font = '24px sans-serif';
    context.fillText('🔴', 0, 26);
    const { data } = context.getImageData(0, 0, 32, 32);
    return data.some((value, index) => index % 4 === 0 && value > data[index + 1] + 50);
  })()`);
}
