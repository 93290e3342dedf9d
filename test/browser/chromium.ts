/** Chromium for the tests in this folder: opens pages, and checks them with axe. Needs Chromium at CHROMIUM or /usr/bin/chromium. */

import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Starts one browser. Close it in `afterAll`. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Chromium's own sandbox does not run as root, as in a container. The pages are ours.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'],
  });
}

export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in the page: errors of scripts, blocked resources, failed requests. Tests expect none. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Opens a page in a browser session of its own: no cookies of another test. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The next page was opened before this one had its icon.
    if (reason !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${reason}`);
  });
  return { page, problems, close: () => context.close() };
}

/**
 * The accessibility violations of the page as it is now, one line each.
 *
 * The page must be opened with `bypassCSP: true`: axe is a script that a strict content security policy does not allow.
 */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: AXE_FILE });
  // Runs in the page, where axe is a global variable.
  const violations = await page.evaluate<readonly { id: string; nodes: readonly { html: string }[] }[]>(
    // The rule of WCAG 2.2 is off by default.
    "axe.run(document, { rules: { 'target-size': { enabled: true } } }).then((result) => result.violations)",
  );
  const small = await findSmallTargets(page);
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' · ')}`),
    ...(small.length === 0 ? [] : [`smaller than 24 px: ${small.join(' · ')}`]),
    ...(await findCrooked(page)),
  ];
}

/** Check boxes and radio buttons that are not level with the first line of their label, and hidden elements that are drawn. */
function findCrooked(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`
    (() => {
      const isDrawn = (one) => one.checkVisibility();
      const middle = ({ top, bottom }) => (top + bottom) / 2;
      const firstLine = (label) => {
        const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
          if (text.data.trim() === '' || text.parentElement.closest('.unseen') !== null) continue;
          const range = document.createRange();
          range.selectNodeContents(text);
          return range.getClientRects()[0];
        }
      };
      const crooked = [...document.querySelectorAll('label > input:is([type=checkbox], [type=radio])')]
        .filter(isDrawn)
        .filter((input) => {
          const line = firstLine(input.parentElement);
          return line !== undefined && Math.abs(middle(line) - middle(input.getBoundingClientRect())) > 4;
        })
        .map((input) => 'not level with its label: ' + input.parentElement.innerText.slice(0, 60));
      const drawn = [...document.querySelectorAll('[hidden]')]
        .filter(isDrawn)
        .map((one) => 'hidden, but drawn: ' + one.outerHTML.slice(0, 80));
      return [...crooked.slice(0, 3), ...drawn.slice(0, 3)];
    })()
  `);
}

/** Controls smaller than the 24 pixels of WCAG 2.2, as they are measured. Links in text may be smaller. */
function findSmallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`
    [...document.querySelectorAll('button, select, textarea, summary, input:not([type=hidden])')]
      .filter((one) => one.checkVisibility() && one.closest('.unseen') === null)
      .map((one) => [one, one.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 1 && height > 1 && (width < 23.9 || height < 23.9))
      .map(([one, { width, height }]) => one.outerHTML.slice(0, 100) + ' ' + Math.round(width) + ' x ' + Math.round(height))
  `);
}
