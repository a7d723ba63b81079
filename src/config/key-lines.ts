/**
 * The line (from 1) that sets a key in a TOML text; null if not found. The TOML parser reports no
 * positions. `table`: the table of the key, null for the top level. Keys of inline tables count at
 * the line of the table's key.
 */
export function keyLine(text: string, table: string | null, key: string): number | null {
  let current: string | null = null;
  let fence: string | null = null;
  let owner: number | null = null;

  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // Multi-line strings contain no keys.
    if (fence !== null) {
      if (line.includes(fence)) fence = null;
      continue;
    }
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line);
    if (header?.[1] !== undefined) {
      current = unquoted(header[1]);
      if (table === null && (current === key || current.startsWith(`${key}.`))) return index + 1;
      if (table !== null && current.startsWith(`${table}.${key}`)) return index + 1;
      continue;
    }
    const name = nameSet(line);
    if (name !== null) {
      if (current === table && (name === key || name.startsWith(`${key}.`))) return index + 1;
      if (current === null && table !== null && name === `${table}.${key}`) return index + 1;
      if (current === null && name === table) owner ??= index + 1;
    }
    fence = opensFence(line);
  }
  return owner;
}

function nameSet(line: string): string | null {
  const found = /^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=/.exec(
    line,
  );
  return found?.[1] === undefined ? null : unquoted(found[1]);
}

function unquoted(name: string): string {
  return name
    .split(".")
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .join(".");
}

function opensFence(line: string): string | null {
  const found = /"""|'''/.exec(line);
  if (found === null) return null;
  const again = line.indexOf(found[0], found.index + 3);
  return again === -1 ? found[0] : null;
}
