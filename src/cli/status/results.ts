import { asIs, below, type Entry } from "./layout.ts";

/** What the ended agents have said, each as it stands, as far as a page holds it; `whole` says where all of it is. */
export function resultEntries(
  results: Readonly<Record<string, string>>,
  whole: string,
): readonly Entry[] {
  const all = Object.entries(results).toSorted(
    ([a], [b]) => Number(b === "main") - Number(a === "main"),
  );
  const shown = all.slice(0, MAX_RESULTS);
  return [
    ...shown.flatMap(([id, result]) => [below(2, id), ...textEntries(result, whole)]),
    ...(all.length === shown.length
      ? []
      : [below(2, `… ${String(all.length - shown.length)} more: ${whole}`)]),
  ];
}

const MAX_RESULTS = 20;
const MAX_LINES = 40;
const MAX_CHARACTERS = 4_000;

function textEntries(text: string, whole: string): readonly Entry[] {
  if (text.trim() === "") return [below(4, "(nothing)")];
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/).slice(0, MAX_LINES);
  const kept = lines.join("\n").length;
  const left = text.replaceAll("\r\n", "\n").length - kept;
  return [
    ...lines.map((line) => asIs(4, line)),
    ...(left <= 0
      ? []
      : [below(4, `… cut: ${left.toLocaleString("en-US")} characters more. The whole: ${whole}`)]),
  ];
}
