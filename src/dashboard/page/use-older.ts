import { useEffect, useState } from "preact/hooks";
import type { FolderJson, ListedRunJson, OlderRunsJson, RunsJson } from "../api.ts";
import { type RunFilter, STATUSES_OF } from "./run-rows.ts";
import { addressOf, read, type Trouble } from "./server.ts";

/** Older runs of a fleet, which are read when somebody wants them. */
export interface Older {
  /** What the list has, and what was read beside it. */
  readonly runs: RunsJson;
  /** Reads more of those that the filter wants; null where there are no more. */
  readonly more: (() => void) | null;
  readonly problem: Trouble | null;
}

interface Found {
  /** By the id of the run, as it was seen last. */
  readonly runs: ReadonlyMap<string, ListedRunJson>;
  /** For which filter `next` is, and where the next ones begin; undefined: nothing was read by it yet. */
  readonly filter: string;
  readonly next: string | null | undefined;
  readonly problem: Trouble | null;
}

const NONE: Found = { runs: new Map(), filter: "", next: undefined, problem: null };

/** The runs of a list, and older ones as far as they were asked for. */
export function useOlder(runs: RunsJson, filter: RunFilter): Older {
  const [found, setFound] = useState(NONE);
  const fleet = runs.folders.find((each) => each.fleet !== null);
  const query = queryOf(filter);
  const known = found.filter === query ? found.next : undefined;
  const next = known === undefined ? (fleet?.older ?? null) : known;

  // What falls out of the list while it is open would be in neither.
  useEffect(() => {
    if (fleet === undefined) return;
    setFound((old) => (old.runs.size === 0 ? old : { ...old, runs: joined(old, fleet.runs) }));
  }, [fleet]);

  const more = (of: FolderJson, after: string) => () => {
    const path = `${addressOf(of.folder)}?after=${encodeURIComponent(after)}${query}`;
    void read<OlderRunsJson>(path, new AbortController().signal).then((said) => {
      if (said === null) return;
      setFound((old) => {
        if (!said.ok) return { ...old, problem: said.problem };
        const { runs: older, older: behind } = said.value;
        const all = joined({ ...old, runs: joined(old, of.runs) }, older);
        return { runs: all, filter: query, next: behind, problem: null };
      });
    });
  };
  return {
    runs: {
      ...runs,
      folders: runs.folders.map((each) => (each === fleet ? withOlder(each, found) : each)),
    },
    more: fleet === undefined || next === null ? null : more(fleet, next),
    problem: found.problem,
  };
}

function joined(
  { runs }: Found,
  others: readonly ListedRunJson[],
): ReadonlyMap<string, ListedRunJson> {
  return new Map([...runs, ...others.map((run) => [run.workflow_id, run] as const)]);
}

function withOlder(fleet: FolderJson, found: Found): FolderJson {
  return { ...fleet, runs: [...joined(found, fleet.runs).values()] };
}

function queryOf({ words, group }: RunFilter): string {
  const statuses = STATUSES_OF[group].map((status) => `&status=${status}`).join("");
  return `${statuses}&words=${encodeURIComponent(words.trim())}`;
}
