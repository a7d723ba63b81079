import type { StateName } from "../protocol/transition.ts";
import {
  AmbiguousEntryError,
  AmbiguousStateError,
  EntryPlatformError,
  NoEntryError,
  UnknownStateError,
  WrongPlatformError,
} from "./errors.ts";
import { findState } from "./find-state.ts";
import type { Platform } from "./platform.ts";
import { runsOn, stemOf } from "./state-name.ts";

const ENTRY_STEMS = ["1_START", "START"] as const;

/**
 * The state with which a folder or zip starts: `1_START`, else `START`, of any
 * kind. `workflow` is what messages call it, a path say. Throws {@link AmbiguousEntryError} when both are there or one
 * is both a prompt and a script, {@link EntryPlatformError} when it is only
 * there for the other platform, {@link NoEntryError} when neither is.
 */
export function findEntry(
  names: readonly StateName[],
  platform: Platform,
  workflow = "This workflow",
): StateName {
  const present = names.filter((name) => ENTRY_STEMS.some((stem) => stem === stemOf(name)));
  const [first] = present;
  if (first === undefined) throw new NoEntryError(names, workflow);
  if (new Set(present.map(stemOf)).size > 1) throw new AmbiguousEntryError(present, workflow);

  const usable = present.filter((name) => runsOn(name, platform));
  const [entry, other] = usable;
  if (entry === undefined) throw new EntryPlatformError(first, platform, workflow);
  if (other !== undefined) throw new AmbiguousEntryError(usable, workflow);
  return entry;
}

/**
 * The state with which a run starts that was given a file or `--start`, with or
 * without its extension. Throws {@link UnknownStateError},
 * {@link AmbiguousStateError} or {@link WrongPlatformError}.
 */
export function resolveEntry(
  names: readonly StateName[],
  wanted: string,
  platform: Platform,
): StateName {
  const finding = findState(names, wanted, platform);
  switch (finding.kind) {
    case "found":
      return finding.name;
    case "unknown":
      throw new UnknownStateError(wanted, names, finding.nearest);
    case "ambiguous":
      throw new AmbiguousStateError(wanted, finding.candidates);
    case "wrong-platform":
      throw new WrongPlatformError(wanted, finding.present, platform, finding.usable);
  }
}
