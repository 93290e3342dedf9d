/**
 * Calendar days and instants as whole numbers: days since 1970-01-01 and UTC seconds, read from and written as the wire's text.
 * Knows nothing of records; what today is in a zone is asked with an instant, never with the machine's clock.
 */

/** Days since 1970-01-01 in the calendar it was written in. */
export type Day = number;

/** Whole seconds since 1970-01-01 00:00:00 UTC. */
export type Seconds = number;

const DAY_MS = 86_400_000;

/** Formatting a date costs ten times a lookup, and an account uses a few thousand different days. */
const written = new Map<Day, string>();

export function formatDay(day: Day): string {
  let text = written.get(day);
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10);
    written.set(day, text);
  }
  return text;
}

/** The day a text names, or undefined when it is not a real date in the form YYYY-MM-DD. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  const day = ms / DAY_MS;
  // 2026-02-30 parses in some engines as 2 March: only a date that writes itself back is real.
  return formatDay(day) === text ? day : undefined;
}

export function formatSeconds(seconds: Seconds): string {
  const day = Math.floor(seconds / 86_400);
  const rest = seconds - day * 86_400;
  return `${formatDay(day)} ${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
}

/** The instant a text names, or undefined when it is not YYYY-MM-DD HH:MM:SS. */
export function parseSeconds(text: string): Seconds | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(text);
  const day = parseDay(parts?.[1] ?? '');
  if (parts === null || day === undefined) return undefined;
  return day * 86_400 + Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4]);
}

/** Answers which day it is in the zone at an instant (milliseconds). */
export function dayIn(timeZone: string): (ms: number) => Day {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  // No zone changes its offset inside a quarter of an hour, so one answer serves all its milliseconds.
  let quarter = Number.NaN;
  let day = 0;
  return (ms) => {
    const asked = Math.floor(ms / 900_000);
    if (asked !== quarter) {
      const parts = Object.fromEntries(format.formatToParts(ms).map((part) => [part.type, part.value]));
      day = Date.UTC(Number(parts.year), Number(parts.month) - 1, Number(parts.day)) / DAY_MS;
      quarter = asked;
    }
    return day;
  };
}

function two(n: number): string {
  return n < 10 ? `0${n}` : String(n);
}
