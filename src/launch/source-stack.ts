import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";

/**
 * Maps the positions in a stack trace from the folder of the build to the source, as far as there are
 * source maps. Never throws. Node's own mapping must be enabled before anything is loaded, which
 * would slow down every start.
 */
export function sourceStack(stack: string, build = import.meta.dirname): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (name: string): SourceMap | null => {
    const known = maps.get(name);
    if (known !== undefined) return known;
    const map = readMap(path.join(build, name));
    maps.set(name, map);
    return map;
  };
  const prefix = `${build}${path.sep}`.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const place = new RegExp(`${prefix}([\\w./\\\\-]+):(\\d+):(\\d+)`, "g");
  return stack.replace(place, (text: string, name: string, line: string, column: string) => {
    const entry = mapOf(name)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return text;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return `${file}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
  });
}

/** The source map of a file; null without one. */
function readMap(file: string): SourceMap | null {
  try {
    const text = readFileSync(`${file}.map`, "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return null;
  }
}
