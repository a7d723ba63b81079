import { useEffect, useState } from "preact/hooks";
import type { Actions, DoneJson } from "../api.ts";
import { act, type Trouble } from "./server.ts";
import { isLive, type Status } from "./status-look.ts";

/** Lets the server do something, one thing at a time. */
export interface Doer {
  /** Whether anything can be done here. */
  readonly control: boolean;
  readonly busy: boolean;
  /** The outcome of the last action, as a sentence; null before, and once the run has moved on from it. */
  readonly said: string | null;
  readonly problem: Trouble | null;
  act<Name extends keyof Actions>(name: Name, body: Actions[Name]): Promise<DoneJson | null>;
}

/** `status`: that of the run which the actions are about. */
export function useDoer(address: string, control: boolean, status?: Status): Doer {
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<DoneJson | null>(null);
  const [problem, setProblem] = useState<Trouble | null>(null);
  useEffect(() => {
    setProblem(null);
    setDone((old) => (old !== null && isStillTrue(old, status) ? old : null));
  }, [status]);
  return {
    ...{ control, busy, said: done?.said ?? null, problem },
    act: async (name, body) => {
      setBusy(true);
      setDone(null);
      setProblem(null);
      const said = await act(name, address, body);
      setBusy(false);
      if (!said.ok) {
        setProblem(said.problem);
        return null;
      }
      setDone(said.value);
      return said.value;
    },
  };
}

/** Whether the message of an action still describes a run that now has this status. */
function isStillTrue({ outcome }: DoneJson, status: Status | undefined): boolean {
  return status !== undefined && isLive(status) && CONTINUES.has(outcome);
}

/** Outcomes after which the run continues. */
const CONTINUES: ReadonlySet<string> = new Set(["resumed", "queued", "heard", "begun"]);
