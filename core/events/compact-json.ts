/** JSON for people: what fits in a line stays in one, and long objects are filled line by line. Still JSON. */

/** As wide as the docs. */
const WIDTH = 120;

/** @param fill names of members whose objects are filled like text, because they are long and flat: a record. */
export function compactJson(value: unknown, fill: readonly string[] = []): string {
  return print(value, '', 0, false, fill);
}

/** `used`: what stands before the value in its line. */
function print(value: unknown, indent: string, used: number, filled: boolean, fill: readonly string[]): string {
  const line = inline(value);
  // One for the comma that may follow.
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

/** On one line, with the spaces people put between. */
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
