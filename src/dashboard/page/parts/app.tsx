import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { FolderJson, RunsJson } from "../../api.ts";
import { followList, type LinkState } from "../follow.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { useNow } from "../hooks/use-now.ts";
import { useResource } from "../hooks/use-resource.ts";
import { Navigated } from "../navigation.ts";
import { ALL_RUNS, parseRoute, printRoute, type RunsRoute } from "../route.ts";
import { machineCount } from "../rows/machine-rows.ts";
import { baseName } from "../rows/run-rows.ts";
import { shownText } from "../rows/shown-text.ts";
import { Help } from "./help.tsx";
import { MachinesPage } from "./machines-page.tsx";
import { Problem } from "./problem.tsx";
import { RunPage } from "./run-page.tsx";
import { RunsPage } from "./runs-page.tsx";
import { StartDialog } from "./start-dialog.tsx";

export function App() {
  const [hash, setHash] = useState(location.hash);
  const [link, setLink] = useState<LinkState>("live");
  const [version, setVersion] = useState(0);
  const [open, setOpen] = useState<"help" | "start" | null>(null);
  const runs = useResource<RunsJson>("/api/runs", version);
  const route = parseRoute(hash);
  const isList = route.view !== "run";
  const navigated = useRef(false);
  /** The last shown list and run: "up" returns there. */
  const list = useRef<RunsRoute>(ALL_RUNS);
  const lastRun = useRef<string | null>(null);
  if (route.view === "runs") list.current = route;
  if (route.view === "run") lastRun.current = `${route.folder} ${route.run}`;
  const now = useNow(!isList);
  const control = runs.value?.control === true;
  const ofFleet = runs.value?.folders.find(({ fleet }) => fleet !== null) ?? null;
  const fleet = ofFleet?.fleet ?? null;
  const machines = fleet?.machines ?? [];

  const updateLink = useCallback((state: LinkState) => {
    setLink(state);
    // The server may have been restarted with another token, or without --allow-control.
    setVersion((old) => old + 1);
  }, []);
  useEffect(() => {
    const move = () => {
      navigated.current = true;
      setHash(location.hash);
    };
    addEventListener("hashchange", move);
    return () => {
      removeEventListener("hashchange", move);
    };
  }, []);
  useEffect(() => {
    if (!isList) return;
    const change = () => {
      setVersion((old) => old + 1);
    };
    return followList(change, updateLink);
  }, [isList, updateLink]);
  const start = control
    ? () => {
        setOpen("start");
      }
    : undefined;
  useKeys({
    "?": () => {
      setOpen("help");
    },
    n: start,
  });

  const isRefused =
    runs.problem !== null && (runs.problem.status === 401 || runs.problem.status === 403);
  return (
    <Navigated.Provider value={navigated}>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link within the page that keeps the address */}
      <a
        class="skip"
        href="#main-part"
        onClick={(event) => {
          // The URL fragment holds the route.
          event.preventDefault();
          document.getElementById("main-part")?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="top">
        <a class="name" href={printRoute(ALL_RUNS)}>
          raymond
        </a>
        <span class={fleet !== null ? "place where-wide" : "place"}>
          {runs.value?.folders.map(placeName).join(", ")}
        </span>
        {fleet !== null && (
          <nav class="row push">
            <a class="where-wide" href={printRoute(ALL_RUNS)}>
              Runs
            </a>
            <a href={printRoute({ view: "machines" })}>
              {/* The list is not updated while a run is open, so its counts could be outdated. */}
              {isList && machines.length > 0 ? machineCount(machines) : "Machines"}
            </a>
          </nav>
        )}
        <span class={`link-state ${link}`} role="status">
          {link === "live" ? "live" : "connection lost, reconnecting"}
        </span>
        {start !== undefined && (
          <button type="button" class="main" onClick={start}>
            Start<span class="where-wide"> a workflow</span>
          </button>
        )}
        <button
          type="button"
          aria-label="Keyboard shortcuts"
          onClick={() => {
            setOpen("help");
          }}
        >
          ?
        </button>
      </header>
      <main id="main-part" tabIndex={-1}>
        {runs.problem !== null && (isRefused || runs.value === null) && (
          <Problem problem={runs.problem} />
        )}
        {runs.value !== null && !control && (
          <p class="dim">
            Read-only: this server was started without <code>--allow-control</code>.
          </p>
        )}
        {route.view === "run" ? (
          <RunPage
            key={`${route.folder} ${route.run}`}
            route={route}
            control={control}
            now={now}
            link={updateLink}
            list={list.current}
          />
        ) : route.view === "machines" ? (
          ofFleet !== null &&
          fleet !== null && <MachinesPage folder={ofFleet.folder} fleet={fleet} now={now} />
        ) : (
          runs.value !== null && (
            <RunsPage runs={runs.value} route={route} last={lastRun.current} now={now} />
          )
        )}
      </main>
      {open === "help" && (
        <Help
          onClose={() => {
            setOpen(null);
          }}
        />
      )}
      {open === "start" && runs.value !== null && (
        <StartDialog
          folders={runs.value.folders}
          onClose={() => {
            setOpen(null);
          }}
        />
      )}
    </Navigated.Provider>
  );
}

/** The folder name of a project, or the database of a fleet. */
function placeName({ project, fleet }: FolderJson): string {
  return shownText(fleet === null ? baseName(project) : `fleet ${project}`);
}
