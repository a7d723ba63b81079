import { promptExecutor } from "../../../src/engine/executors/prompt.ts";
import type { Backend, Backends, Invocation, Reply } from "../../../src/engine/ports/backend.ts";
import { startRun } from "../../../src/engine/start.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import type { Capabilities } from "../../../src/machine/backends/backend-facts.ts";
import type { Failure } from "../../../src/machine/model/failure.ts";
import type { RunSettings } from "../../../src/machine/model/run-state.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { backendFacts } from "../backend-facts.ts";
import { settings } from "../runs.ts";
import { oneWorkflow } from "../workflow/workflows.ts";
import { loaded, world } from "./worlds.ts";

/** The reply of a coding agent to a call: a text, or a failure. */
export type Says = (call: Invocation, agent: string) => string | Failure;

export interface Called extends Pick<Invocation, "state" | "session" | "model"> {
  readonly agent: string;
}

/** A coding agent that answers by a function. It costs a cent. */
export function talkingBackend(
  name: string,
  says: Says,
  can: Partial<Capabilities> = {},
  calls: Called[] = [],
): Backend {
  return {
    ...backendFacts(can, name),
    recover: () => Promise.resolve(null),
    invoke: (call, _cancellation, listener): Promise<Reply> => {
      const { state, session, model } = call;
      calls.push({ agent: name, state, session, model });
      const said = says(call, name);
      const usage = { spend: { ...NO_SPEND, costMicroUsd: 10_000 }, exitCode: 0 };
      if (typeof said !== "string") {
        // Real clients have stored the prompt when their API reports a limit or an outage.
        const isStored = said.class === "limit" || said.class === "outage";
        if (isStored) listener.accepted();
        const stored = isStored ? session.id : null;
        return Promise.resolve({ ...said, ...usage, kind: "failure", session: stored });
      }
      listener.accepted();
      const id = session.id ?? "";
      const reply = { text: said, session: id, capped: false, denials: [], ...usage };
      return Promise.resolve({ ...reply, kind: "reply" });
    },
  };
}

/** A run with `claude` as default agent, and with `codex`. */
export function twoAgentRun(
  files: Readonly<Record<string, string>>,
  says: Says,
  {
    can = {},
    changes = {},
    codex,
  }: {
    readonly can?: Partial<Capabilities>;
    readonly changes?: Partial<RunSettings>;
    readonly codex?: Backend;
  } = {},
) {
  const calls: Called[] = [];
  const all = new Map([
    ["claude", talkingBackend("claude", says, {}, calls)],
    ["codex", codex ?? talkingBackend("codex", says, can, calls)],
  ]);
  const of = (name: string): Backend => {
    const found = all.get(name);
    if (found === undefined) throw new UnknownAgentError(`There is no ${name}.`, { hint: "x" });
    return found;
  };
  const backends: Backends = { default: of("claude"), of };
  const made = world(files);
  const engine = {
    ...made.engine,
    backends,
    workflows: oneWorkflow({
      ...made.engine.workflows.scope(null),
      load: loaded((name) => files[name] ?? ""),
    }),
    executor: promptExecutor(backends, made.clock.elapsed),
  };
  const start = {
    ...{ id: "one", scopeDir: "/repo/workflow", launchDir: "/repo", at: 0, backend: "claude" },
    workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
    ...{ settings: settings(changes), token: "t", input: null, attributes: {} },
  } as const;
  return { ...made, engine, calls, begin: () => startRun(start, engine, made.control) };
}

class UnknownAgentError extends RaymondError {
  override readonly name = "UnknownAgentError";
  readonly code = "config/unknown-agent";
}
