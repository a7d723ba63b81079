import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { RunsJson } from "../../api.ts";
import { followList, type LinkState } from "../follow.ts";
import { Navigated, Now, useClock } from "../hooks/browser.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { useResource } from "../hooks/use-resource.ts";
import { machineCount } from "../model/fleet.ts";
import { baseName } from "../model/runs.ts";
import { ALL_RUNS, parseRoute, printRoute, type Route, type RunsRoute } from "../route.ts";
import { Help, Problem } from "./basics.tsx";
import { MachinesPage } from "./machines-page.tsx";
import { RunPage } from "./run-page.tsx";
import { RunsPage } from "./runs-page.tsx";
import { StartDialog } from "./start-dialog.tsx";

export function App() {
  const { route, navigated } = useRoute();
  const [link, setLink] = useState<LinkState>("live");
  const [version, setVersion] = useState(0);
  const [open, setOpen] = useState<"help" | "start" | null>(null);
  const runs = useResource<RunsJson>("/api/runs", version);
  const isList = route.view !== "run";
  const now = useClock(!isList);
  const control = runs.value?.control === true;
  const change = useCallback(() => {
    setVersion((old) => old + 1);
  }, []);
  const updateLink = useCallback((state: LinkState) => {
    setLink(state);
    // The server may have been restarted with another token, or without --allow-control.
    change();
  }, []);
  useEffect(() => (isList ? followList(change, updateLink) : undefined), [isList]);
  const show = (dialog: "help" | "start" | null) => () => {
    setOpen(dialog);
  };
  useKeys({ "?": show("help"), n: control ? show("start") : undefined });
  return (
    <Navigated.Provider value={navigated}>
      <SkipLink />
      <TopBar
        {...{ runs: runs.value, isList, link }}
        onHelp={show("help")}
        onStart={control ? show("start") : null}
      />
      <main id="main-part" tabIndex={-1}>
        {runs.problem !== null &&
          (runs.value === null || [401, 403].includes(runs.problem.status)) && (
            <Problem problem={runs.problem} />
          )}
        {runs.value !== null && !control && (
          <p class="dim">
            Read-only: this server was started without <code>--allow-control</code>.
          </p>
        )}
        <Now.Provider value={now}>
          <View {...{ route, runs: runs.value, control, link: updateLink }} />
        </Now.Provider>
      </main>
      {open === "help" && <Help onClose={show(null)} />}
      {open === "start" && runs.value !== null && (
        <StartDialog folders={runs.value.folders} onClose={show(null)} />
      )}
    </Navigated.Provider>
  );
}

function SkipLink() {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it is a link within the page that keeps the address
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
  );
}

function useRoute() {
  const [hash, setHash] = useState(location.hash);
  const navigated = useRef(false);
  useEffect(() => {
    const update = () => {
      navigated.current = true;
      setHash(location.hash);
    };
    addEventListener("hashchange", update);
    return () => {
      removeEventListener("hashchange", update);
    };
  }, []);
  return { route: parseRoute(hash), navigated };
}

function fleetIn(runs: RunsJson | null) {
  return runs?.folders.find(({ fleet }) => fleet !== null) ?? null;
}

interface ViewProps {
  readonly route: Route;
  readonly runs: RunsJson | null;
  readonly control: boolean;
  readonly link: (state: LinkState) => void;
}

function View({ route, runs, control, link }: ViewProps) {
  /** The last shown list and run: "up" returns there. */
  const list = useRef<RunsRoute>(ALL_RUNS);
  const last = useRef<string | null>(null);
  if (route.view === "run") {
    last.current = `${route.folder} ${route.run}`;
    return <RunPage key={last.current} {...{ route, control, link, list: list.current }} />;
  }
  if (route.view === "machines") {
    const { folder = "", fleet = null } = fleetIn(runs) ?? {};
    return fleet && <MachinesPage {...{ folder, fleet }} />;
  }
  list.current = route;
  return runs && <RunsPage {...{ runs, route, last: last.current }} />;
}

interface TopBarProps {
  readonly runs: RunsJson | null;
  /** The list is not updated while a run is open, so its counts could be outdated. */
  readonly isList: boolean;
  readonly link: LinkState;
  readonly onHelp: () => void;
  /** Null: not allowed. */
  readonly onStart: (() => void) | null;
}

function TopBar({ runs, isList, link, onHelp, onStart }: TopBarProps) {
  const machines = fleetIn(runs)?.fleet?.machines ?? null;
  const names = runs?.folders.map(({ project, fleet }) =>
    fleet === null ? baseName(project) : `fleet ${project}`,
  );
  return (
    <header class="top">
      <a class="name" href={printRoute(ALL_RUNS)}>
        raymond
      </a>
      <span class={machines !== null ? "place where-wide" : "place"}>{names?.join(", ")}</span>
      {machines !== null && (
        <nav class="row push">
          <a class="where-wide" href={printRoute(ALL_RUNS)}>
            Runs
          </a>
          <a href={printRoute({ view: "machines" })}>
            {isList && machines.length > 0 ? machineCount(machines) : "Machines"}
          </a>
        </nav>
      )}
      <span class={`link-state ${link}`} role="status">
        {link === "live" ? "live" : "connection lost, reconnecting"}
      </span>
      {onStart !== null && (
        <button type="button" class="main" onClick={onStart}>
          Start<span class="where-wide"> a workflow</span>
        </button>
      )}
      <button type="button" aria-label="Keyboard shortcuts" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}
