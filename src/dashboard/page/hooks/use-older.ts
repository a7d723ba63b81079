import { useEffect, useState } from "preact/hooks";
import type { FolderJson, ListedRunJson, OlderRunsJson, RunsJson } from "../../api.ts";
import { type RunFilter, STATUSES_OF } from "../rows/run-rows.ts";
import { addressOf, fetchJson, type RequestProblem } from "../server.ts";

/** Runs that are older than those in the list, loaded on request. */
export interface Older {
  /** The list including the loaded older runs. */
  readonly runs: RunsJson;
  /** Loads more runs that match the filter; null if there are no more. */
  readonly more: (() => void) | null;
  /** The number of runs that are not loaded. A fleet does not count them. */
  readonly left: number;
  readonly problem: RequestProblem | null;
}

/** Loaded runs of one folder. */
interface Found {
  /** By the id of the run. */
  readonly runs: ReadonlyMap<string, ListedRunJson>;
  /** The filter of `next`. `next`: the cursor after the last run; undefined if nothing was loaded with it. */
  readonly filter: string;
  readonly next: string | null | undefined;
  readonly problem: RequestProblem | null;
}

const NONE: Found = { runs: new Map(), filter: "", next: undefined, problem: null };
type All = ReadonlyMap<string, Found>;

export function useOlder(runs: RunsJson, filter: RunFilter): Older {
  const [all, setAll] = useState<All>(new Map());
  const query = queryOf(filter);
  const { folders } = runs;

  // Keep runs that drop out of the list of newest runs.
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
    const response = await fetchJson<OlderRunsJson>(path, new AbortController().signal);
    if (response === null) return;
    setAll((old) => {
      const found = old.get(of.folder) ?? NONE;
      if (!response.ok) return new Map(old).set(of.folder, { ...found, problem: response.problem });
      const { runs: older, older: next } = response.value;
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
