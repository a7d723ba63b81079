import { useState } from "preact/hooks";
import type { OverviewAgentJson, OverviewJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { Field, Options, withValue } from "./basics.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
}

export function SetResult({ overview, actions }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [result, setText] = useState("");
  const [reason, setReason] = useState("");
  const agents = overview.agents
    .filter(({ does }) => SETTABLE.has(does))
    .toSorted((a, b) => Number(b.does === "failed") - Number(a.does === "failed"));
  const [first] = agents;
  if (!actions.control || first === undefined) return null;
  const agent = agents.find((each) => each.agent === chosen) ?? first;
  const send = async () => {
    const given = reason.trim() === "" ? {} : { reason };
    const set = await actions.run("set", { agent: agent.agent, result, ...given });
    if (set !== null) setText("");
  };
  return (
    <details class="panel">
      <summary>Set result</summary>
      <form
        class="body"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p class="dim">
          Ends the step of an agent, as if its state had returned this result. A running step is
          interrupted.
        </p>
        <Field label="Agent">
          <select name="agent" value={agent.agent} onChange={withValue(setChosen)}>
            <Options of={agents.map((each) => [each.agent, labelOf(each)])} />
          </select>
        </Field>
        <Field label="Result">
          <textarea rows={2} name="result" value={result} onInput={withValue(setText)} />
        </Field>
        <Field label="Reason">
          <input type="text" name="reason" value={reason} onInput={withValue(setReason)} />
        </Field>
        <p class="row">
          <button type="submit" disabled={actions.busy}>
            Set result
          </button>
        </p>
      </form>
    </details>
  );
}

/** Agents whose step has failed, or may be stuck. */
const SETTABLE: ReadonlySet<OverviewAgentJson["does"]> = new Set(["failed", "running", "stopped"]);

function labelOf({ agent, state, does }: OverviewAgentJson): string {
  return `${agent}: ${state ?? ""} (${does})`;
}
