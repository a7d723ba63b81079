import { useEffect, useRef, useState } from "preact/hooks";
import type { ActionResultJson, Actions, OverviewJson } from "../../api.ts";
import { STATUS_BADGES } from "../model/badge.ts";
import { fetchJson, type RequestProblem } from "../server.ts";

/** Runs actions on the server, one at a time. */
export interface ActionState {
  readonly control: boolean;
  readonly busy: boolean;
  /** The outcome of the last action, as a sentence; null before, and once it no longer describes the run. */
  readonly message: string | null;
  readonly problem: RequestProblem | null;
  run<Name extends keyof Actions>(
    name: Name,
    body: Actions[Name],
  ): Promise<ActionResultJson | null>;
}

type RunVersion = Pick<OverviewJson, "status" | "saves"> | null;

/**
 * `address`: of the run, or for `start` of the runs. `run`: the run that the actions apply to; null for `start`, or
 * before it is loaded.
 */
export function useActions(address: string, control: boolean, run: RunVersion): ActionState {
  const [busy, setBusy] = useState(false);
  const [last, setLast] = useState<{
    readonly result: ActionResultJson;
    readonly before: RunVersion;
  } | null>(null);
  const [problem, setProblem] = useState<RequestProblem | null>(null);
  const now = useRef(run);
  now.current = run;
  useEffect(() => {
    setProblem(null);
    setLast((old) => (old !== null && CONTINUES.has(old.result.outcome) ? old : null));
  }, [run?.status]);
  return {
    ...{ control, busy, problem },
    message: last !== null && isCurrent(last.result, last.before, run) ? last.result.message : null,
    run: async (name, body) => {
      setBusy(true);
      setLast(null);
      setProblem(null);
      const before = now.current;
      const response = await fetchJson<ActionResultJson>(
        name === "start" ? address : `${address}/${name}`,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        },
      );
      setBusy(false);
      if (response.ok) setLast({ result: response.value, before });
      else setProblem(response.problem);
      return response.ok ? response.value : null;
    },
  };
}

/** A run that was made to continue may have stopped again, perhaps before the page saw it running. */
function isCurrent({ outcome }: ActionResultJson, before: RunVersion, run: RunVersion): boolean {
  if (run === null || !CONTINUES.has(outcome)) return true;
  return STATUS_BADGES[run.status].tone === "live" || run.saves === before?.saves;
}

/** Outcomes after which the run continues. */
const CONTINUES: ReadonlySet<string> = new Set(["resumed", "queued", "received", "retrying"]);
