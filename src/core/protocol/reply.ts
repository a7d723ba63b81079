import type { CodeRegion } from "./code-spans.ts";
import type { Reading } from "./element.ts";
import { KEPT } from "./findings.ts";
import { codeRegions } from "./markdown.ts";
import { OutputScanner } from "./scan.ts";

/**
 * Finds the tags in the reply of a model, where tags in Markdown code count only
 * if there is none outside of it (docs/protocol.md, "Code in replies"): a model
 * that quotes an example and then emits the real tag is understood, and so is
 * one that puts its only tag into a code block. An element outside may hold
 * code, and is neither closed in it nor begun.
 */
export function readReply(text: string): Reading {
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

function readOutside(text: string, regions: readonly CodeRegion[]): Reading {
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

/** Each region is a text of its own, for no element crosses its edge. */
function readInside(text: string, regions: readonly CodeRegion[]): Reading {
  const readings = regions.map(({ start, end }) => {
    const scanner = new OutputScanner();
    scanner.push(text.slice(start, end));
    return scanner.end();
  });
  return {
    elements: readings.flatMap(({ elements }) => elements).slice(0, KEPT),
    count: readings.reduce((sum, { count }) => sum + count, 0),
    unclosed: readings.find(({ unclosed }) => unclosed !== null)?.unclosed ?? null,
    oversized: readings.some(({ oversized }) => oversized),
  };
}
