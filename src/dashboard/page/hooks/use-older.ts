import { useEffect, useState } from "preact/hooks";
import type { FolderJson, ListedRunJson, OlderRunsJson, RunsJson } from "../../api.ts";
import { type RunFilter, STATUSES_OF } from "../model/runs.ts";
import { addressOf, fetchJson, type RequestProblem } from "../server.ts";

interface Found {
  /** By the id of the run. */
  readonly runs: ReadonlyMap<string, ListedRunJson>;
  /** The filter of `next`. */
  readonly filter: string;
  /** The cursor after the last run; undefined if no runs were loaded with the filter. */
  readonly next: string | null | undefined;
  readonly problem: RequestProblem | null;
}

const NONE: Found = { runs: new Map(), filter: "", next: undefined, problem: null };

/** Loads runs that are older than those in the list, on request. */
export function useOlder(runs: RunsJson, filter: RunFilter) {
  const [all, setAll] = useState<ReadonlyMap<string, Found>>(new Map());
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

  const load = async (of: FolderJson, after: string) => {
    const path = `${addressOf(of.folder)}?after=${encodeURIComponent(after)}${query}`;
    const response = await fetchJson<OlderRunsJson>(path);
    setAll((old) => {
      const found = old.get(of.folder) ?? NONE;
      if (!response.ok) return new Map(old).set(of.folder, { ...found, problem: response.problem });
      const { runs: older, older: next } = response.value;
      const known = joined(found, [...of.runs, ...older]);
      return new Map(old).set(of.folder, { runs: known, filter: query, next, problem: null });
    });
  };
  const open = folders.flatMap((of) => {
    const found = all.get(of.folder);
    const after = found?.filter === query && found.next !== undefined ? found.next : of.older;
    return after === null ? [] : [() => load(of, after)];
  });
  const shown = folders.map((of) => {
    const found = all.get(of.folder);
    return found === undefined ? of : { ...of, runs: [...joined(found, of.runs).values()] };
  });
  const known = folders.map((of, at) => of.runs.length + of.more - (shown[at]?.runs.length ?? 0));
  return {
    /** The list including the loaded older runs. */
    runs: { ...runs, folders: shown },
    /** Loads more runs that match the filter; null if there are no more. */
    more: open.length === 0 ? null : () => void Promise.all(open.map((each) => each())),
    /** The number of runs that are not loaded. A fleet does not count them. */
    left: known.reduce((sum, count) => sum + Math.max(0, count), 0),
    problem: [...all.values()].find(({ problem }) => problem !== null)?.problem ?? null,
  };
}

function joined(
  { runs }: Found,
  others: readonly ListedRunJson[],
): ReadonlyMap<string, ListedRunJson> {
  return new Map([...runs, ...others.map((run) => [run.workflow_id, run] as const)]);
}

function queryOf({ words, group }: RunFilter): string {
  const statuses = STATUSES_OF[group].map((status) => `&status=${status}`).join("");
  return `${statuses}&words=${encodeURIComponent(words.trim())}`;
}
