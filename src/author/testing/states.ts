import type { LocatedYaml, Path } from "../../clients/simulation/yaml.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { findState } from "../../language/workflow/files/find-state.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import { resolveEntry } from "../../language/workflow/policy/entry.ts";

export interface States {
  readonly names: readonly StateName[];
  readonly platform: Platform;
}

/** Throws a fault of the file if there is no such state. */
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

function fullNameAt(yaml: LocatedYaml, path: Path, written: string): string {
  if (extensionOf(written) !== null) return written.normalize("NFC");
  throw yaml.fault(path, "a state of another workflow is named with its extension.");
}

/** Without its extension, if the stem is unique on every platform. */
export function shortName(name: StateName, { names, platform }: States): string {
  const found = findState(names, stemOf(name), platform);
  return found.kind === "found" && found.name === name ? stemOf(name) : name;
}
