import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * A stack trace whose places are those of the source and not of the bundle
 * that ships, as far as the bundle's source maps tell. Never throws. Node does
 * the same if it is told so before it loads anything, but then every start
 * pays for it; a bug can wait for its maps.
 */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (url: string): SourceMap | null => {
    const known = maps.get(url);
    if (known !== undefined) return known;
    const map = readMap(url);
    maps.set(url, map);
    return map;
  };
  return stack.replace(PLACE, (place: string, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return place;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return `${file}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
  });
}

const PLACE = /(file:\/\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/** The map that lies beside a file; null without one. */
function readMap(url: string): SourceMap | null {
  try {
    const text = readFileSync(`${fileURLToPath(url)}.map`, "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return null;
  }
}
