import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";
import { SHIPPED } from "./code-cache.ts";

/**
 * Maps the positions in a stack trace from `dist` to the source, as far as there are source maps.
 * Never throws. Node's own mapping must be enabled before anything is loaded, which would slow down
 * every start.
 */
export function sourceStack(stack: string, dist = path.dirname(import.meta.dirname)): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (name: string): SourceMap | null => {
    const known = maps.get(name);
    if (known !== undefined) return known;
    const map = readMap(path.join(dist, name));
    maps.set(name, map);
    return map;
  };
  return stack.replace(PLACE, (place: string, name: string, line: string, column: string) => {
    const entry = mapOf(name)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return place;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return `${file}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
  });
}

const PLACE = new RegExp(`${SHIPPED}([\\w./-]+):(\\d+):(\\d+)`, "g");

/** The source map of a file; null without one. */
function readMap(file: string): SourceMap | null {
  try {
    const text = readFileSync(`${file}.map`, "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return null;
  }
}
