import { useEffect, useRef, useState } from "preact/hooks";
import type { ActionResultJson, Actions, OverviewJson } from "../../api.ts";
import { isLive } from "../rows/status-look.ts";
import { postAction, type RequestProblem } from "../server.ts";

/** Runs actions on the server, one at a time. */
export interface ActionState {
  /** Whether the server allows actions. */
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

type RunVersion = Pick<OverviewJson, "status" | "saves">;

/** `run`: the run that the actions apply to; null if there is none, or it is not loaded yet. */
export function useActions(address: string, control: boolean, run: RunVersion | null): ActionState {
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<{
    readonly of: ActionResultJson;
    readonly before: RunVersion | null;
  } | null>(null);
  const [problem, setProblem] = useState<RequestProblem | null>(null);
  const now = useRef(run);
  now.current = run;
  useEffect(() => {
    setProblem(null);
    setDone((old) => (old !== null && CONTINUES.has(old.of.outcome) ? old : null));
  }, [run?.status]);
  return {
    ...{ control, busy, problem },
    message: done !== null && isCurrent(done.of, done.before, run) ? done.of.message : null,
    run: async (name, body) => {
      setBusy(true);
      setDone(null);
      setProblem(null);
      const before = now.current;
      const result = await postAction(name, address, body);
      setBusy(false);
      if (!result.ok) {
        setProblem(result.problem);
        return null;
      }
      setDone({ of: result.value, before });
      return result.value;
    },
  };
}

/** A run that was made to continue may have stopped again, perhaps before it was seen to run. */
function isCurrent(
  { outcome }: ActionResultJson,
  before: RunVersion | null,
  run: RunVersion | null,
): boolean {
  if (run === null || !CONTINUES.has(outcome)) return true;
  return isLive(run.status) || run.saves === before?.saves;
}

/** Outcomes after which the run continues. */
const CONTINUES: ReadonlySet<string> = new Set(["resumed", "queued", "heard", "retrying"]);
