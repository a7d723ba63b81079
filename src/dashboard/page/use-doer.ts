import { useState } from "preact/hooks";
import type { Actions, DoneJson } from "../api.ts";
import { act, type Trouble } from "./server.ts";

/** What lets the server do something, one thing at a time. */
export interface Doer {
  /** Whether anything can be done here. */
  readonly control: boolean;
  readonly busy: boolean;
  /** What has come of it last, as a sentence; null before. */
  readonly said: string | null;
  readonly problem: Trouble | null;
  act<Name extends keyof Actions>(name: Name, body: Actions[Name]): Promise<DoneJson | null>;
}

export function useDoer(address: string, control: boolean): Doer {
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<Trouble | null>(null);
  return {
    ...{ control, busy, said, problem },
    act: async (name, body) => {
      setBusy(true);
      setSaid(null);
      setProblem(null);
      const done = await act(name, address, body);
      setBusy(false);
      if (!done.ok) {
        setProblem(done.problem);
        return null;
      }
      setSaid(done.value.said);
      return done.value;
    },
  };
}
