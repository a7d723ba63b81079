import { allowWords } from "../../console/allow-flag.ts";
import { openCommand } from "../../inspect/open-command.ts";
import type { AgentWhy, Why } from "../../inspect/why.ts";
import { counted } from "../../language/basics/counted.ts";
import { errorOf } from "../../machine/model/activity.ts";
import { doing, heldUpOf } from "../status/agents.ts";
import { asIs, below, type Entries, labelled, layOut } from "../status/layout.ts";
import { nextEntries, statusWords } from "../status/page.ts";

/** A paragraph, the evidence, and the next command. */
export function formatWhy(why: Why, width: number | null): readonly string[] {
  return layOut(
    [below(0, paragraphOf(why)), why.agents.map((agent) => evidenceOf(agent, why)), nextOf(why)],
    width,
  );
}

export function paragraphOf({ report, agents, more, alike, next }: Why): string {
  const { run, status } = report;
  // The reason of an earlier stop does not apply to a queued run.
  const reason = status === "queued" ? null : (run.stopReason?.message ?? null);
  const held = heldUpOf(null, report);
  const sentences = [
    `${run.id}: ${statusWords(report)}.`,
    ...(status === "completed" ? ["It is not waiting for anything."] : []),
    ...(status === "crashed" ? ["No process runs it any more."] : []),
    ...(reason === null ? [] : [sentence(reason)]),
    ...held.map((message) => sentence(`It ${message}`)),
    ...agents.map((agent) => sentenceOf(agent, report, reason)),
    ...(alike === 0
      ? []
      : [`${counted(alike, "more agent waits", "more agents wait")} for a slot as well.`]),
    ...(more === 0 ? [] : [`And ${counted(more, "more agent")}, as raymond status shows.`]),
    ...(next.length === 0 && agents.length > 0 && held.length === 0
      ? ["It continues automatically."]
      : []),
  ];
  return sentences.join(" ");
}

/** `reason`: the reason of the run, which is not repeated. */
function sentenceOf({ agent, missing }: AgentWhy, report: Why["report"], reason: string | null) {
  const { id, state, living, problem, wait } = agent;
  const error = living && errorOf(living);
  const failure = error === null || error.message === reason ? problem : error.message;
  const message = wait?.kind === "limit" ? wait.message : failure;
  const parts = [
    `${id}${state === null ? "" : ` at ${state}`}: ${doing(agent, report)}`,
    ...heldUpOf(id, report),
    ...(missing.length === 0 ? [] : [`still missing: ${missing.join(", ")}`]),
    ...(message === null || message === reason ? [] : [message]),
  ];
  return sentence(parts.join("; "));
}

function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, " / ");
  return /[.!?\u2026]$/.test(line) ? line : `${line}.`;
}

function evidenceOf({ agent, evidence }: AgentWhy, { report }: Why): Entries {
  const hint = (agent.living && errorOf(agent.living)?.hint) ?? null;
  const { conversation } = agent;
  const open = conversation && openCommand(conversation, report.run);
  if (evidence === null && hint === null && open === null) return null;
  return [
    asIs(0, ""),
    below(0, `${agent.id}${evidence === null ? "" : `, step ${String(evidence.step)}`}`),
    (evidence?.lines ?? []).map((line) => asIs(2, line)),
    hint === null ? null : labelled("hint", hint.replaceAll("\n", " ")),
    evidence?.debug == null ? null : labelled("debug", evidence.debug),
    open === null ? null : { ...labelled("open", open), whole: true },
  ];
}

function nextOf({ report, next, allow, setWith }: Why): Entries {
  if (next.length === 0) return null;
  const { ways } = report;
  return [
    asIs(0, ""),
    labelled("next", ""),
    ways.length > 0 ? nextEntries(report) : next.map((command) => asIs(2, command)),
    allow === null
      ? null
      : [
          below(0, `or, for denied tool calls, ${allowWords(allow)}:`),
          asIs(2, `${next[0] ?? ""} ${allow}`),
        ],
    setWith.length === 0
      ? null
      : [
          below(0, "or, to continue with a result of your own:"),
          setWith.map((one) => asIs(2, one)),
        ],
  ];
}
