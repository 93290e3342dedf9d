/**
 * Exact decimals: money in cents, hours in hundredths, percentages in thousandths, all as whole numbers.
 * No floating point enters a sum; the wire's text is made and read here only.
 */

/** The whole number of 1/10^places that a text or number stands for, half rounded away from zero; undefined when it is no decimal. */
export function parseDecimal(value: string | number, places: number): number | undefined {
  const parts = /^(-?)(\d{1,10})(?:\.(\d+))?$/.exec(String(value).trim());
  if (parts === null) return undefined;
  const fraction = (parts[3] ?? '').padEnd(places + 1, '0');
  const scaled = Number(`${parts[2]}${fraction.slice(0, places)}`) + (Number(fraction[places]) >= 5 ? 1 : 0);
  return parts[1] === '-' && scaled !== 0 ? -scaled : scaled;
}

/** 1250 in hundredths is written 12.50: always both decimals, as money and hours are. */
export function formatHundredths(value: number): string {
  const size = Math.abs(value);
  const rest = size % 100;
  return `${value < 0 ? '-' : ''}${(size - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`;
}

/** 8250 thousandths are written 8.25, without trailing zeros, as the API writes rates. */
export function formatThousandths(value: number): string {
  const size = Math.abs(value);
  const rest = size % 1000;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0').replace(/0+$/, '')}`;
  return `${value < 0 ? '-' : ''}${(size - rest) / 1000}${fraction}`;
}

/** The part of an amount of cents that a percentage (in thousandths) makes, half a cent rounded away from zero. */
export function percentOf(cents: number, thousandths: number): number {
  // BigInt: 10^12 cents at 10^5 thousandths passes what a double holds exactly.
  const product = BigInt(cents) * BigInt(thousandths);
  const half = product < 0n ? -50_000n : 50_000n;
  return Number((product + half) / 100_000n);
}

/** Quantity in hundredths times a rate in cents, in cents, half rounded away from zero. */
export function times(hundredths: number, cents: number): number {
  const product = BigInt(hundredths) * BigInt(cents);
  const half = product < 0n ? -50n : 50n;
  return Number((product + half) / 100n);
}
