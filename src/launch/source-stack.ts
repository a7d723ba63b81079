import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";
import { packPlaces, SHIPPED } from "./code-cache.ts";

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
  const packed = Object.entries(packPlaces(dist));
  /** Resolves a line of a pack to its chunk and line. Other lines are returned unchanged. */
  const unpacked = (name: string, line: number): readonly [string, number] => {
    const [chunk, place] =
      packed.findLast(([, { pack, line: before }]) => pack === name && before < line) ?? [];
    return chunk === undefined || place === undefined ? [name, line] : [chunk, line - place.line];
  };
  return stack.replace(PLACE, (place: string, shipped: string, at: string, column: string) => {
    const [name, line] = unpacked(shipped, Number(at));
    const entry = mapOf(name)?.findEntry(line - 1, Number(column) - 1);
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
