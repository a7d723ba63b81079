import { useEffect, useRef, useState } from "preact/hooks";
import type { Actions, DoneJson, OverviewJson } from "../api.ts";
import { act, type Trouble } from "./server.ts";
import { isLive } from "./status-look.ts";

/** Lets the server do something, one thing at a time. */
export interface Doer {
  /** Whether anything can be done here. */
  readonly control: boolean;
  readonly busy: boolean;
  /** The outcome of the last action, as a sentence; null before, and once it no longer describes the run. */
  readonly said: string | null;
  readonly problem: Trouble | null;
  act<Name extends keyof Actions>(name: Name, body: Actions[Name]): Promise<DoneJson | null>;
}

type Stand = Pick<OverviewJson, "status" | "saves">;

/** `run`: how the run stands that the actions are about; null where there is none, or it is not known yet. */
export function useDoer(address: string, control: boolean, run: Stand | null): Doer {
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<{ readonly of: DoneJson; readonly before: Stand | null } | null>(
    null,
  );
  const [problem, setProblem] = useState<Trouble | null>(null);
  const now = useRef(run);
  now.current = run;
  useEffect(() => {
    setProblem(null);
    setDone((old) => (old !== null && CONTINUES.has(old.of.outcome) ? old : null));
  }, [run?.status]);
  return {
    ...{ control, busy, problem },
    said: done !== null && isTrue(done.of, done.before, run) ? done.of.said : null,
    act: async (name, body) => {
      setBusy(true);
      setDone(null);
      setProblem(null);
      const before = now.current;
      const said = await act(name, address, body);
      setBusy(false);
      if (!said.ok) {
        setProblem(said.problem);
        return null;
      }
      setDone({ of: said.value, before });
      return said.value;
    },
  };
}

/** A run that was made to continue may have stopped again, perhaps before it was seen to run. */
function isTrue({ outcome }: DoneJson, before: Stand | null, run: Stand | null): boolean {
  if (run === null || !CONTINUES.has(outcome)) return true;
  return isLive(run.status) || run.saves === before?.saves;
}

/** Outcomes after which the run continues. */
const CONTINUES: ReadonlySet<string> = new Set(["resumed", "queued", "heard", "begun"]);
