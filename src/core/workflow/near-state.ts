import { quoted } from "./quote.ts";
import { extensionOf, stemOf } from "./state-name.ts";

/** A file that people take for a state, and that is none. */
export interface NearState {
  readonly name: string;
  /** Its extension is in capitals, or it is a link to a file that does not exist. */
  readonly why: "case" | "broken-link";
}

/** Whether a name only lacks lower case in its extension to be a state's. */
export function differsInCase(name: string): boolean {
  return extensionOf(name) === null && extensionOf(lowered(name)) !== null;
}

/** The one of these that a name would mean if it were a state. */
export function nearStateOf(near: readonly NearState[], written: string): NearState | null {
  return near.find(({ name }) => [lowered(name), stemOf(lowered(name))].includes(written)) ?? null;
}

/** What is wrong with it, and what to do about it. */
export function describeNearState({ name, why }: NearState): {
  readonly message: string;
  readonly hint: string;
} {
  switch (why) {
    case "case":
      return {
        message: `${quoted(name)} is no state: its extension is not in lower case.`,
        hint: `Rename it to ${quoted(lowered(name))}.`,
      };
    case "broken-link":
      return {
        message: `${quoted(name)} is a link to a file that does not exist.`,
        hint: "Correct the link, or remove it.",
      };
  }
}

function lowered(name: string): string {
  return name.replace(/\.\w+$/, (ending) => ending.toLowerCase());
}
