import { extensionOf, stemOf } from "./files/state-name.ts";
import { quoted } from "./quote.ts";

/** A file that looks like a state but is ignored. */
export interface StateLookalike {
  readonly name: string;
  /** Its extension is uppercase, or it is a link to a missing file. */
  readonly why: "case" | "broken-link";
}

/** Whether a name would be a state with a lowercase extension. */
export function differsInCase(name: string): boolean {
  return extensionOf(name) === null && extensionOf(lowered(name)) !== null;
}

/** The file that a state name probably refers to; null if none. */
export function lookalikeOf(
  near: readonly StateLookalike[],
  written: string,
): StateLookalike | null {
  return near.find(({ name }) => [lowered(name), stemOf(lowered(name))].includes(written)) ?? null;
}

export function describeLookalike({ name, why }: StateLookalike): {
  readonly message: string;
  readonly hint: string;
} {
  switch (why) {
    case "case":
      return {
        message: `${quoted(name)} is ignored: its extension is not lowercase.`,
        hint: `Rename it to ${quoted(lowered(name))}.`,
      };
    case "broken-link":
      return {
        message: `${quoted(name)} is ignored: it is a link to a missing file.`,
        hint: "Correct the link, or remove it.",
      };
  }
}

function lowered(name: string): string {
  return name.replace(/\.\w+$/, (ending) => ending.toLowerCase());
}
