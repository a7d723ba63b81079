import { GROUPS, type Group } from "./model/runs.ts";

/** The current view, encoded in the URL fragment, which browsers do not send to the server. */
export type Route = RunsRoute | { readonly view: "machines" } | RunRoute;

export interface RunsRoute {
  readonly view: "runs";
  readonly words: string;
  readonly group: Group;
}

export interface RunRoute {
  readonly view: "run";
  /** `FolderJson.folder`. */
  readonly folder: string;
  readonly run: string;
  /** The open attempt; null if none is open. */
  readonly step: number | null;
  readonly tab: Tab;
  /** Only attempts of this agent; null: all. */
  readonly agent: string | null;
}

export const TABS = ["attempts", "agents", "states", "cost", "commands", "changes"] as const;
export type Tab = (typeof TABS)[number];

/** The list without a filter. */
export const ALL_RUNS: RunsRoute = { view: "runs", words: "", group: "all" };

export function runRoute(folder: string, run: string, step: number | null = null): RunRoute {
  return { view: "run", folder, run, step, tab: "attempts", agent: null };
}

export function parseRoute(hash: string): Route {
  const [path = "", ...rest] = hash.split("?");
  const query = new URLSearchParams(rest.join("?"));
  if (/^#\/machines\/?$/.test(path)) return { view: "machines" };
  const [, folder, run, step] = /^#\/([^/]+)\/([^/]+)(?:\/(\d{1,9}))?\/?$/.exec(path) ?? [];
  if (folder === undefined || run === undefined) {
    const group = GROUPS.find((each) => each === query.get("status"));
    return { view: "runs", words: query.get("words") ?? "", group: group ?? "all" };
  }
  return {
    ...runRoute(decoded(folder), decoded(run), step === undefined ? null : Number(step)),
    tab: TABS.find((each) => each === query.get("tab")) ?? "attempts",
    agent: query.get("agent"),
  };
}

export function printRoute(route: Route): string {
  switch (route.view) {
    case "machines":
      return "#/machines";
    case "runs": {
      const { words, group } = route;
      return `#/${printQuery({ words: words || null, status: group === "all" ? null : group })}`;
    }
    case "run": {
      const { folder, run, step, tab, agent } = route;
      const place = `${encodeURIComponent(folder)}/${encodeURIComponent(run)}`;
      const query = printQuery({ tab: tab === "attempts" ? null : tab, agent });
      return `#/${place}${step === null ? "" : `/${String(step)}`}${query}`;
    }
  }
}

function printQuery(values: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
