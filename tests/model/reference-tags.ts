// How the second interpreter of the workflow language finds tags in a text.

/** A tag as it stands there. */
export interface Tag {
  readonly tag: string;
  readonly content: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** All tags of a text; the one that its rules leave where it has none. */
export function readTags(text: string, implied: string | null): readonly Tag[] {
  const found = [...text.matchAll(TAG)];
  const all = found.length > 0 ? found : [...(implied ?? "").matchAll(TAG)];
  if (all.length === 0) throw new Error(`the reference finds no tag in ${text}`);
  return all.map(([, tag = "", inside = "", content = ""]) => {
    const pairs = [...inside.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
    const attributes: Readonly<Record<string, string>> = Object.fromEntries(
      pairs.map(([, name = "", double, single]) => [name, double ?? single ?? ""]),
    );
    return { tag, content, attributes };
  });
}

/** A payload as it is delivered. */
export function trimmed(content: string): string {
  const lines = content.replaceAll(/\r\n|\r/g, "\n").split("\n");
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.join("\n");
}

const TAG =
  /<((?:reset|call|function|fork)-workflow|goto|reset|call|function|fork|join|ask|result)((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?:\/>|>([^<]*|(?<=<result\s*>)[\s\S]*?)<\/\1>)/g;
