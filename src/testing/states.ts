import { RaymondError } from "../core/errors.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { resolveEntry } from "../core/workflow/entry.ts";
import { findState } from "../core/workflow/find-state.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { extensionOf, stemOf } from "../core/workflow/state-name.ts";
import type { LocatedYaml, Path } from "../simulation/yaml.ts";

/** What names of states mean in a test: as in a transition. */
export interface States {
  readonly names: readonly StateName[];
  readonly platform: Platform;
}

/** The state that a test file names at a path; throws its fault where there is none. */
export function stateAt(
  yaml: LocatedYaml,
  path: Path,
  written: unknown,
  { names, platform }: States,
): StateName {
  if (typeof written !== "string") throw yaml.fault(path, "the name of a state is expected.");
  if (written.includes("/")) return fullNameAt(yaml, path, written);
  try {
    return resolveEntry(names, written, platform);
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    throw yaml.fault(path, `${error.message} ${error.hint ?? ""}`.trim());
  }
}

/** A state of another workflow: nobody has looked yet what there is in it. */
function fullNameAt(yaml: LocatedYaml, path: Path, written: string): string {
  if (extensionOf(written) !== null) return written.normalize("NFC");
  throw yaml.fault(path, "a state of another workflow is named with its extension.");
}

/** How a test calls a state: without its extension, where that is enough on every platform. */
export function shortName(name: StateName, { names, platform }: States): string {
  const found = findState(names, stemOf(name), platform);
  return found.kind === "found" && found.name === name ? stemOf(name) : name;
}
