import type { StateName } from "../../protocol/transition.ts";
import { workflowErrors } from "../errors.ts";
import { findState } from "../files/find-state.ts";
import type { Platform } from "../files/platform.ts";
import { runsOn, stemOf } from "../files/state-name.ts";
import { resolutionError } from "../resolve.ts";

const entryError = workflowErrors["lint/RAY101"];

const ENTRY_STEMS = ["1_START", "START"] as const;

/**
 * The entry state of a folder or zip: `1_START`, else `START`. `workflow` names the workflow in
 * messages. Throws `lint/RAY101` if there is none, more than one, or only one for the other platform.
 */
export function findEntry(
  names: readonly StateName[],
  platform: Platform,
  workflow = "This workflow",
): StateName {
  const present = names.filter((name) => ENTRY_STEMS.some((stem) => stem === stemOf(name)));
  const [first] = present;
  if (first === undefined) throw entryError(workflow, { kind: "none", names });
  if (new Set(present.map(stemOf)).size > 1)
    throw entryError(workflow, { kind: "ambiguous", candidates: present });

  const usable = present.filter((name) => runsOn(name, platform));
  const [entry, other] = usable;
  if (entry === undefined)
    throw entryError(workflow, { kind: "wrong-platform", present: first, platform });
  if (other !== undefined) throw entryError(workflow, { kind: "ambiguous", candidates: usable });
  return entry;
}

/**
 * The state that a file argument or `--start` names, with or without its extension. Throws
 * `workflow/unknown-state`, `workflow/ambiguous-state` or `workflow/wrong-platform`.
 */
export function resolveEntry(
  names: readonly StateName[],
  wanted: string,
  platform: Platform,
): StateName {
  const finding = findState(names, wanted, platform);
  if (finding.kind === "found") return finding.name;
  throw resolutionError(finding, names, wanted, platform);
}
