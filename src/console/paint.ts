import type { Tone } from "./line.ts";
import type { Style } from "./style.ts";

export function paint(tone: Tone, text: string, style: Style): string {
  switch (tone) {
    case "header":
      return style.strong(text);
    case "plain":
      return text;
    case "dim":
      return style.dim(text);
    case "accent":
      return style.accent(text);
    case "good":
      return style.good(text);
    case "warning":
      return style.warning(text);
    case "error":
      return style.error(text);
  }
}
