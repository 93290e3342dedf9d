/** Notices about the last action. An action redirects to a page whose address names the notice; the page shows its sentence. */

const NOTICES = {
  created: () => 'The subscription was made.',
  saved: () => 'The changes were saved.',
  unchanged: () => 'Nothing was changed: it was so already.',
  paused: () => 'Paused. Deliveries are held until you resume it.',
  resumed: () => 'Resumed. Held deliveries are being sent.',
  resubscribed: () => 'The reader gets the next mail again.',
  removed: () => 'The subscription was deleted, with what it had not sent yet.',
  tested: () => 'The receiver accepted the test message.',
  'test-failed': () => 'The receiver did not accept the test message. The attempt below says why.',
  'test-skipped': () => 'Nothing was sent. The attempt below says why.',
  'test-waiting': () => 'The test message was queued. Reload this page in a moment.',
  retried: (count: number) => `${counted(count, 'delivery is', 'deliveries are')} being tried again.`,
  'retried-part': (count: number) =>
    `${counted(count, 'delivery is', 'deliveries are')} being tried again. More are left: retry them in a minute.`,
  'source-added': () => 'The source was checked and added. Its first poll sends no events.',
  'source-removed': () => 'The source was removed. Its records stay.',
  'key-removed': () => 'The key was removed. Requests with it are refused from now on.',
  'key-removed-whole': (count: number) =>
    `The key was removed, with ${counted(count, 'subscription')}. Requests with it are refused from now on.`,
} as const satisfies Readonly<Record<string, (count: number) => string>>;

export type NoticeName = keyof typeof NOTICES;

/** The address with a notice. @param count the number in its sentence */
export function withNotice(path: string, name: NoticeName, count?: number): string {
  const separator = path.includes('?') ? '&' : '?';
  return `${path}${separator}done=${name}${count === undefined ? '' : `&count=${count}`}`;
}

/** The sentence of the notice that the address names, if any. */
export function noticeOf({ searchParams }: URL): string | undefined {
  const name = searchParams.get('done') ?? '';
  const count = Number(searchParams.get('count') ?? 0);
  return Object.hasOwn(NOTICES, name)
    ? NOTICES[name as NoticeName](Number.isSafeInteger(count) ? count : 0)
    : undefined;
}

/** `1 delivery`, `1,200 deliveries` */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}
