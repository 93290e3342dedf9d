/** Formats JSON for people: a value that fits on one line stays on one line, and long flat objects are filled like text. */

/** The line width of the docs. */
const WIDTH = 120;

/** @param fill names of members whose objects are long and flat, such as records, and are filled like text. */
export function compactJson(value: unknown, fill: readonly string[] = []): string {
  return print(value, '', 0, false, fill);
}

/** @param used the number of characters before the value on its line. */
function print(value: unknown, indent: string, used: number, filled: boolean, fill: readonly string[]): string {
  const line = inline(value);
  // Less than the width, because a comma may follow.
  if (indent.length + used + line.length < WIDTH || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => print(item, deeper, 0, false, fill));
    return `[\n${deeper}${items.join(`,\n${deeper}`)}\n${indent}]`;
  }
  const members = Object.entries(value).map(([name, member]) => {
    const key = `${JSON.stringify(name)}: `;
    return key + print(member, deeper, key.length, fill.includes(name), fill);
  });
  return `{\n${deeper}${(filled ? fillLines(members, WIDTH - deeper.length) : members).join(`,\n${deeper}`)}\n${indent}}`;
}

/** On one line, with spaces after commas and colons. */
function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function fillLines(members: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const member of members) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + member.length + 3 <= width) lines[lines.length - 1] = `${line}, ${member}`;
    else lines.push(member);
  }
  return lines;
}
