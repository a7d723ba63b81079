import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../../core/counted.ts";
import type { RunsJson } from "../../api.ts";
import { navigate, useHeadingFocus } from "../navigation.ts";
import { printRoute, type RunsRoute, runRoute } from "../route.ts";
import { GROUPS, type Group, isWanted, type RunRow, runRows } from "../run-rows.ts";
import { shownText } from "../shown-text.ts";
import { useKeys } from "../use-keys.ts";
import { useOlder } from "../use-older.ts";
import { rowKeys } from "../use-row-keys.ts";
import { Problem } from "./problem.tsx";
import { StatusBadge } from "./status.tsx";

const GROUP_WORDS: Readonly<Record<Group, string>> = {
  all: "all runs",
  live: "active",
  asks: "asking",
  stopped: "stopped",
  done: "completed",
};

/** So many rows are drawn at first: a table of thousands is slow, and nobody reads it. */
const PAGE = 200;

interface Props {
  readonly runs: RunsJson;
  readonly route: RunsRoute;
  /** The folder and id of the run that was open before; null where none was. */
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
  const wanted = rows.filter((row) => isWanted(row, { words, group }));
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
          {asking.length > 5 && <p>and {counted(asking.length - 5, "more run")}</p>}
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
              placeholder="filter: workflow, id, status"
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
                  {GROUP_WORDS[each]}
                </option>
              ))}
            </select>
          </label>
          <span class="dim push" aria-live="polite">
            {wanted.length === rows.length
              ? counted(rows.length, "run")
              : `${String(wanted.length)} of ${counted(rows.length, "run")}`}
            {older.left > 0 && ` of ${String(rows.length + older.left)}`}
            {older.left === 0 && older.more !== null && ", and older ones"}
          </span>
        </header>
        {wanted.length === 0 ? (
          <p class="empty">
            {rows.length === 0
              ? "No runs yet. Start one with: raymond WORKFLOW"
              : "No run matches this filter."}
          </p>
        ) : (
          <RunTable rows={wanted.slice(0, most)} />
        )}
        {wanted.length > most && (
          <p class="body">
            <button
              type="button"
              onClick={() => {
                setMost(most + PAGE);
              }}
            >
              Show {counted(Math.min(PAGE, wanted.length - most), "more run")}
            </button>
          </p>
        )}
        {older.problem !== null && <Problem problem={older.problem} />}
        {wanted.length <= most && older.more !== null && (
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
          <th scope="col">Waits for</th>
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
