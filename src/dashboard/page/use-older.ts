import { useEffect, useState } from "preact/hooks";
import type { FolderJson, ListedRunJson, OlderRunsJson, RunsJson } from "../api.ts";
import { type RunFilter, STATUSES_OF } from "./run-rows.ts";
import { addressOf, read, type Trouble } from "./server.ts";

/** Older runs than those of the list, which are loaded on request. */
export interface Older {
  /** The list with the older runs that were loaded. */
  readonly runs: RunsJson;
  /** Loads more runs that match the filter; null where there are no more. */
  readonly more: (() => void) | null;
  /** The number of runs that were not loaded, as far as the server counts them; a fleet does not. */
  readonly left: number;
  readonly problem: Trouble | null;
}

/** What was loaded of one folder. */
interface Found {
  /** By the id of the run. */
  readonly runs: ReadonlyMap<string, ListedRunJson>;
  /** The filter that `next` is for, and the cursor behind the last run; undefined: nothing was loaded with it. */
  readonly filter: string;
  readonly next: string | null | undefined;
  readonly problem: Trouble | null;
}

const NONE: Found = { runs: new Map(), filter: "", next: undefined, problem: null };
type All = ReadonlyMap<string, Found>;

export function useOlder(runs: RunsJson, filter: RunFilter): Older {
  const [all, setAll] = useState<All>(new Map());
  const query = queryOf(filter);
  const { folders } = runs;

  // A run that falls out of the list while it is open would be in neither.
  useEffect(() => {
    setAll((old) =>
      folders.reduce((known, { folder, runs: listed }) => {
        const found = known.get(folder);
        if (found === undefined || found.runs.size === 0) return known;
        return new Map(known).set(folder, { ...found, runs: joined(found, listed) });
      }, old),
    );
  }, [folders]);

  const open = folders.flatMap((of) => {
    const after = nextOf(of, all.get(of.folder), query);
    return after === null ? [] : [{ of, after }];
  });
  const load = async (of: FolderJson, after: string) => {
    const path = `${addressOf(of.folder)}?after=${encodeURIComponent(after)}${query}`;
    const said = await read<OlderRunsJson>(path, new AbortController().signal);
    if (said === null) return;
    setAll((old) => {
      const found = old.get(of.folder) ?? NONE;
      if (!said.ok) return new Map(old).set(of.folder, { ...found, problem: said.problem });
      const { runs: older, older: next } = said.value;
      const known = joined({ ...found, runs: joined(found, of.runs) }, older);
      return new Map(old).set(of.folder, { runs: known, filter: query, next, problem: null });
    });
  };
  const shown = folders.map((of) => withOlder(of, all.get(of.folder)));
  return {
    runs: { ...runs, folders: shown },
    more:
      open.length === 0
        ? null
        : () => {
            for (const { of, after } of open) void load(of, after);
          },
    left: folders.reduce((sum, { more, runs: listed }, at) => {
      return sum + Math.max(0, listed.length + more - (shown[at]?.runs.length ?? 0));
    }, 0),
    problem: [...all.values()].find(({ problem }) => problem !== null)?.problem ?? null,
  };
}

function nextOf(of: FolderJson, found: Found | undefined, query: string): string | null {
  return found?.filter === query && found.next !== undefined ? found.next : of.older;
}

function joined(
  { runs }: Found,
  others: readonly ListedRunJson[],
): ReadonlyMap<string, ListedRunJson> {
  return new Map([...runs, ...others.map((run) => [run.workflow_id, run] as const)]);
}

function withOlder(of: FolderJson, found: Found | undefined): FolderJson {
  return found === undefined ? of : { ...of, runs: [...joined(found, of.runs).values()] };
}

function queryOf({ words, group }: RunFilter): string {
  const statuses = STATUSES_OF[group].map((status) => `&status=${status}`).join("");
  return `${statuses}&words=${encodeURIComponent(words.trim())}`;
}
