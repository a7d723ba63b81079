import { printable } from "../../../log/printable.ts";

/** Makes characters visible that could hide or reorder text (docs/security.md). Keeps line ends. */
export function shownText(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}
