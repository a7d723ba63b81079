import { printable } from "../../observers/printable.ts";

/** A text of several lines with everything visible that would change how others are read (docs/security.md, "What a model says"). */
export function shownText(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}
