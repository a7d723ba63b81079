import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../../language/basics/counted.ts";
import type { RunsJson } from "../../api.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { useOlder } from "../hooks/use-older.ts";
import { rowKeys } from "../hooks/use-row-keys.ts";
import { navigate, useHeadingFocus } from "../navigation.ts";
import { printRoute, type RunsRoute, runRoute } from "../route.ts";
import { GROUPS, type Group, matchesFilter, type RunRow, runRows } from "../rows/run-rows.ts";
import { shownText } from "../rows/shown-text.ts";
import { Problem } from "./problem.tsx";
import { StatusBadge } from "./status.tsx";

const GROUP_LABELS: Readonly<Record<Group, string>> = {
  all: "all runs",
  live: "active",
  asks: "has questions",
  stopped: "stopped",
  done: "completed",
};

/** Rows to render at first: a table of thousands of rows is slow. */
const PAGE = 200;

interface Props {
  readonly runs: RunsJson;
  readonly route: RunsRoute;
  /** Folder and id of the last open run; null if there was none. */
  readonly last: string | null;
  readonly now: number;
}

export function RunsPage({ runs, route, last, now }: Props) {
  const { words, group } = route;
  const [most, setMost] = useState(PAGE);
  const heading = useHeadingFocus();
  const table = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const older = useOlder(runs, { words, group });
  const rows = useMemo(() => runRows(older.runs, now), [older.runs, now]);
  const matching = rows.filter((row) => matchesFilter(row, { words, group }));
  const asking = rows.filter(({ asks }) => asks > 0);
  useKeys({ "/": () => field.current?.focus(), ...rowKeys(table, last) });
  useEffect(() => {
    document.title = `${asking.length > 0 ? `(${String(asking.length)}) ` : ""}raymond`;
  }, [asking.length]);

  return (
    <>
      {runs.folders.flatMap(({ problem, folder, runs: known }) =>
        problem === null
          ? []
          : [<Problem key={folder} problem={problem} isStale={known.length > 0} />],
      )}
      {asking.length > 0 && (
        <section class="notice warn" aria-label="Questions">
          {asking.slice(0, 5).map((row) => (
            <p key={row.run}>
              <a href={hrefOf(row)}>{row.workflow}</a>: {row.waits}
            </p>
          ))}
          {asking.length > 5 && <p>… and {counted(asking.length - 5, "more run")}</p>}
        </section>
      )}
      <section class="panel" ref={table}>
        <header>
          <h1 ref={heading} tabIndex={-1}>
            Runs
          </h1>
          <label class="row wide-field">
            <span class="hidden-words">Filter by words</span>
            <input
              ref={field}
              type="search"
              placeholder="Filter by workflow, id or status"
              value={words}
              onInput={(event) => {
                navigate({ ...route, words: event.currentTarget.value }, "replace");
              }}
            />
          </label>
          <label class="row">
            <span class="hidden-words">Filter by status</span>
            <select
              value={group}
              onChange={(event) => {
                const chosen = GROUPS.find((each) => each === event.currentTarget.value);
                navigate({ ...route, group: chosen ?? "all" });
              }}
            >
              {GROUPS.map((each) => (
                <option key={each} value={each}>
                  {GROUP_LABELS[each]}
                </option>
              ))}
            </select>
          </label>
          <span class="dim push" aria-live="polite">
            {matching.length === rows.length
              ? counted(rows.length, "run")
              : `${String(matching.length)} of ${counted(rows.length, "run")}`}
            {older.left > 0 && ` of ${String(rows.length + older.left)}`}
            {older.left === 0 && older.more !== null && ", more available"}
          </span>
        </header>
        {matching.length === 0 ? (
          <p class="empty">
            {rows.length === 0
              ? "No runs yet. Start one with: raymond WORKFLOW"
              : "No runs match this filter."}
          </p>
        ) : (
          <RunTable rows={matching.slice(0, most)} />
        )}
        {matching.length > most && (
          <p class="body">
            <button
              type="button"
              onClick={() => {
                setMost(most + PAGE);
              }}
            >
              Show {counted(Math.min(PAGE, matching.length - most), "more run")}
            </button>
          </p>
        )}
        {older.problem !== null && <Problem problem={older.problem} />}
        {matching.length <= most && older.more !== null && (
          <p class="body">
            <button
              type="button"
              onClick={() => {
                setMost(most + PAGE);
                older.more?.();
              }}
            >
              Load older runs
            </button>
          </p>
        )}
      </section>
    </>
  );
}

function RunTable({ rows }: { readonly rows: readonly RunRow[] }) {
  const isFleet = rows.some(({ place }) => place !== null);
  return (
    <table class="runs">
      <thead>
        <tr>
          <th scope="col">Workflow</th>
          <th scope="col">Status</th>
          {isFleet && <th scope="col">Machine</th>}
          <th scope="col">Started</th>
          <th scope="col">Steps</th>
          <th scope="col" class="right">
            Cost
          </th>
          <th scope="col">Waiting for</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.folder} ${row.run}`}>
            <td class="name">
              <a href={hrefOf(row)} data-row={`${row.folder} ${row.run}`}>
                <strong>{row.workflow}</strong>
              </a>{" "}
              <span class="dim mono">{shownText(row.run)}</span>
              {row.project !== null && <div class="dim">{row.project}</div>}
            </td>
            <td>
              <StatusBadge status={row.status} />
              {row.isSimulated && <span class="dim small"> simulated</span>}
            </td>
            {isFleet && <td class="machine">{row.place}</td>}
            <td title={row.exactly} class="number">
              {row.when}
            </td>
            <td class="number">
              {row.steps}
              {row.agents !== "" && row.agents !== "0 agents" && (
                <span class="dim"> · {row.agents}</span>
              )}
            </td>
            <td class="cost right number">{row.cost}</td>
            <td class="waits">{row.waits}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function hrefOf({ folder, run }: RunRow): string {
  return printRoute(runRoute(folder, run));
}
