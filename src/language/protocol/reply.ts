import { MAX_KEPT_ELEMENTS } from "./findings.ts";
import type { CodeRegion } from "./scan/code-spans.ts";
import type { ScanResult } from "./scan/element.ts";
import { codeRegions } from "./scan/markdown.ts";
import { OutputScanner } from "./scan/scan.ts";

/**
 * Finds the tags in a reply of a model. Tags in Markdown code count only if there is none outside
 * (docs/protocol.md, "Code in replies"), so a model can quote an example and then emit the real tag,
 * or put its only tag into a code block.
 */
export function readReply(text: string): ScanResult {
  const regions = codeRegions(text);
  const outside = readOutside(text, regions);
  if (outside.count > 0) return outside;

  const inside = readInside(text, regions);
  if (inside.count > 0) return inside;
  return {
    ...inside,
    unclosed: outside.unclosed ?? inside.unclosed,
    oversized: outside.oversized || inside.oversized,
  };
}

function readOutside(text: string, regions: readonly CodeRegion[]): ScanResult {
  const scanner = new OutputScanner();
  let at = 0;
  for (const { start, end } of regions) {
    scanner.push(text.slice(at, start));
    scanner.pushCode(text.slice(start, end));
    at = end;
  }
  scanner.push(text.slice(at));
  return scanner.end();
}

/** Scans each region separately: no element crosses its edge. */
function readInside(text: string, regions: readonly CodeRegion[]): ScanResult {
  const readings = regions.map(({ start, end }) => {
    const scanner = new OutputScanner();
    scanner.push(text.slice(start, end));
    return scanner.end();
  });
  return {
    elements: readings.flatMap(({ elements }) => elements).slice(0, MAX_KEPT_ELEMENTS),
    count: readings.reduce((sum, { count }) => sum + count, 0),
    unclosed: readings.find(({ unclosed }) => unclosed !== null)?.unclosed ?? null,
    oversized: readings.some(({ oversized }) => oversized),
  };
}
