import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";
import { packPlaces, SHIPPED } from "./code-cache.ts";

/**
 * A stack trace whose places are those of the source and not of the files
 * that ship in `dist`, as far as their source maps tell. Never throws. Node does
 * the same if it is told so before it loads anything, but then every start
 * pays for it; a bug can wait for its maps.
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
  /** The chunk that a line of a pack is of, and which line of it that is; a chunk's own line as it is. */
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

/** The map that lies beside a file; null without one. */
function readMap(file: string): SourceMap | null {
  try {
    const text = readFileSync(`${file}.map`, "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return null;
  }
}
