import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { distanceOf, localMoment, localTime } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import type { RunsJson } from "../../api.ts";
import { navigate, useNow } from "../hooks/browser.ts";
import { rowKeys, useKeys } from "../hooks/use-keys.ts";
import { useOlder } from "../hooks/use-older.ts";
import { STATUS_BADGES } from "../model/badge.ts";
import {
  GROUPS,
  type Group,
  hasQuestion,
  matchesFilter,
  placeText,
  type RunRow,
  runRows,
  startOf,
  waitText,
  workflowOf,
} from "../model/runs.ts";
import { printRoute, type RunsRoute, runRoute } from "../route.ts";
import { Options, Problem, StatusBadge } from "./basics.tsx";
import { PageHeading, Table } from "./table.tsx";

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
}

export function RunsPage({ runs, route, last }: Props) {
  const now = useNow();
  const [shown, setShown] = useState(PAGE);
  const table = useRef<HTMLElement>(null);
  const older = useOlder(runs, route);
  const rows = useMemo(() => runRows(older.runs), [older.runs]);
  const matching = rows.filter((row) => matchesFilter(row, route, now));
  const asking = rows.filter(({ run }) => hasQuestion(run));
  const more = matching.length - shown;
  useKeys({
    "/": () => table.current?.querySelector<HTMLElement>(".filter")?.focus(),
    ...rowKeys(table, last),
  });
  useEffect(() => {
    document.title = `${asking.length > 0 ? `(${String(asking.length)}) ` : ""}raymond`;
  }, [asking.length]);
  return (
    <>
      {runs.folders.map(({ problem, folder, runs: known }) => {
        return problem && <Problem key={folder} problem={problem} isStale={known.length > 0} />;
      })}
      {asking.length > 0 && <QuestionNotice rows={asking} />}
      <section class="panel" ref={table}>
        <header>
          <PageHeading title="Runs" />
          <Filters route={route} />
          <span class="dim push" aria-live="polite">
            {matching.length < rows.length && `${String(matching.length)} of `}
            {counted(rows.length, "run")}
            {older.left > 0 && ` of ${String(rows.length + older.left)}`}
            {older.left === 0 && older.more !== null && ", more available"}
          </span>
        </header>
        {matching.length > 0 && <RunTable rows={matching.slice(0, shown)} />}
        {matching.length === 0 && (
          <p class="empty">
            {rows.length === 0
              ? "No runs yet. Start one with: raymond WORKFLOW"
              : "No runs match this filter."}
          </p>
        )}
        {older.problem !== null && <Problem problem={older.problem} />}
        {(more > 0 || older.more !== null) && (
          <p class="body">
            <button
              type="button"
              onClick={() => {
                setShown(shown + PAGE);
                if (more <= 0) older.more?.();
              }}
            >
              {more > 0 ? `Show ${counted(Math.min(PAGE, more), "more run")}` : "Load older runs"}
            </button>
          </p>
        )}
      </section>
    </>
  );
}

function QuestionNotice({ rows }: { readonly rows: readonly RunRow[] }) {
  const now = useNow();
  return (
    <section class="notice warn" aria-label="Questions">
      {rows.slice(0, 5).map((row) => (
        <p key={row.run.workflow_id}>
          <a href={hrefOf(row)}>{workflowOf(row.run)}</a>: {waitText(row.run, now)}
        </p>
      ))}
      {rows.length > 5 && <p>… and {counted(rows.length - 5, "more run")}</p>}
    </section>
  );
}

function Filters({ route }: { readonly route: RunsRoute }) {
  return (
    <>
      <input
        class="filter"
        type="search"
        aria-label="Filter by words"
        placeholder="Filter by workflow, id or status"
        value={route.words}
        onInput={(event) => {
          navigate({ ...route, words: event.currentTarget.value }, "replace");
        }}
      />
      <select
        aria-label="Filter by status"
        value={route.group}
        onChange={(event) => {
          const chosen = GROUPS.find((group) => group === event.currentTarget.value);
          navigate({ ...route, group: chosen ?? "all" });
        }}
      >
        <Options of={GROUPS.map((group) => [group, GROUP_LABELS[group]])} />
      </select>
    </>
  );
}

function RunTable({ rows }: { readonly rows: readonly RunRow[] }) {
  const isFleet = rows.some(({ run }) => run.place !== undefined);
  const machine = isFleet ? ["Machine"] : [];
  const columns = ["Workflow", "Status", ...machine, "Started", "Steps", "Cost", "Waiting for"];
  return (
    <Table class="runs" columns={columns}>
      {rows.map((row) => (
        <Row key={`${row.folder} ${row.run.workflow_id}`} {...{ row, isFleet }} />
      ))}
    </Table>
  );
}

function Row({ row, isFleet }: { readonly row: RunRow; readonly isFleet: boolean }) {
  const now = useNow();
  const { folder, run, project } = row;
  const { workflow_id, status, simulated, place, steps, agents, total_cost_usd } = run;
  const start = Date.parse(startOf(run));
  return (
    <tr>
      <td class="name">
        <a href={hrefOf(row)} data-row={`${folder} ${workflow_id}`}>
          <strong>{workflowOf(run)}</strong>
        </a>{" "}
        <span class="dim mono">{workflow_id}</span>
        {project !== null && <div class="dim">{project}</div>}
      </td>
      <td>
        <StatusBadge badge={STATUS_BADGES[status]} />
        {simulated === true && <span class="dim small"> simulated</span>}
      </td>
      {isFleet && <td class="machine">{place !== undefined && placeText(place)}</td>}
      <td title={localTime(start)} class="number">
        {now - start < 3_600_000 ? distanceOf(start, now) : localMoment(start, now)}
      </td>
      <td class="number">
        {steps !== null && counted(steps, "step")}
        {agents !== null && agents > 0 && <span class="dim"> · {counted(agents, "agent")}</span>}
      </td>
      <td class="cost right number">
        {total_cost_usd !== null && formatUsd(toMicroUsd(total_cost_usd))}
      </td>
      <td class="waits">{waitText(run, now)}</td>
    </tr>
  );
}

function hrefOf({ folder, run }: RunRow): string {
  return printRoute(runRoute(folder, run.workflow_id));
}
