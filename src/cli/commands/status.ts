import { formatDuration } from "../../core/duration.ts";
import type { Agent } from "../../core/machine/agent.ts";
import { type RunState, spent } from "../../core/machine/run-state.ts";
import { formatUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import { resumeAdvice } from "../../observers/summary.ts";
import { encodeRun } from "../../stores/codec.ts";
import { DamagedStateError, UnknownRunError } from "../../stores/errors.ts";
import type { LockHolder } from "../../stores/store.ts";
import { formatRemains, readRemains, remainsJson } from "../remains.ts";
import { nameRun } from "../runs.ts";
import type { Shell } from "../shell.ts";
import { counted, firstLine } from "../words.ts";

interface StatusOptions {
  readonly json?: true;
  readonly stateDir?: string;
}

/** `raymond status`: where a run stands, and what to do next. Never locks, never writes. */
export async function statusCommand(
  wanted: string,
  options: StatusOptions,
  shell: Shell,
): Promise<void> {
  const { id, root, store, program } = await nameRun(shell, wanted, options.stateDir);
  const run = await store.load(id).catch(async (error: unknown) => {
    const remains = error instanceof DamagedStateError ? await readRemains(root, id) : null;
    if (remains !== null && options.json === true) {
      shell.out.line(JSON.stringify(remainsJson(remains), null, 2));
    } else if (remains !== null) {
      for (const line of formatRemains(remains, program)) shell.out.line(printable(line));
    }
    throw error;
  });
  if (run === undefined) throw new UnknownRunError(wanted, []);
  const holder = await store.holder(id);
  const status = effectiveStatus(run, holder);
  if (options.json === true) {
    shell.out.line(JSON.stringify({ ...encodeRun(run), status, held_by: holder }, null, 2));
    return;
  }
  for (const line of formatStatus(run, status, holder, shell.now(), program))
    shell.out.line(printable(line));
}

/** A run that says running while nobody runs it has crashed. */
export function effectiveStatus(run: RunState, holder: LockHolder | null): string {
  const live = run.status === "running" || run.status === "waiting";
  if (!live) return run.status;
  if (holder === null) return "crashed";
  return run.stopReason === null ? run.status : "stopping";
}

/** The lines of `raymond status`. */
export function formatStatus(
  run: RunState,
  status: string,
  holder: LockHolder | null,
  now: number,
  program = "raymond",
): readonly string[] {
  const { budgetMicroUsd } = run.settings;
  const budget = budgetMicroUsd === null ? "no budget" : `of ${formatUsd(budgetMicroUsd)}`;
  const estimated = run.totals.estimatedMicroUsd;
  const parts = [
    ["run", run.id + (run.backend === "simulation" ? " (simulated)" : "")],
    ["status", status + (holder === null ? "" : ` (pid ${String(holder.pid)} on ${holder.host})`)],
    ...(run.stopReason === null ? [] : [["reason", run.stopReason.message]]),
    ...(run.wait === null ? [] : [["wait", waitLine(run.wait.until, run.wait.message, now)]]),
    ["workflow", run.workflow.path],
    ["folder", run.launchDir],
    ["started", `${run.startedAt}, last change ${run.updatedAt}`],
    [
      "cost",
      `${formatUsd(spent(run))} ${budget}` +
        (estimated > 0 ? `, ${formatUsd(estimated)} of it estimated` : ""),
    ],
    ["steps", `${String(run.steps)} done, ${counted(run.totals.attempts, "attempt")}`],
  ] as const;
  const agents = run.agents.map((agent) => `  ${agentLine(agent, holder !== null, now)}`);
  const results = Object.entries(run.results).map(
    ([id, result]) => `  ${id} = ${firstLine(result)}`,
  );
  const advice =
    status === "running" || status === "waiting" || status === "stopping"
      ? null
      : resumeAdvice(run, program);
  return [
    ...parts.map(([label, value]) => `${label.padEnd(9)} ${value}`),
    ...(agents.length === 0 ? [] : ["agents", ...agents]),
    ...(results.length === 0 ? [] : ["results", ...results]),
    ...(advice === null ? [] : ["next", `  ${advice}`]),
  ];
}

function waitLine(until: number, message: string, now: number): string {
  const left = until > now ? `${formatDuration(until - now)} left` : "over, the next prompt tries";
  return `until ${new Date(until).toISOString()} (${left}): ${message}`;
}

function agentLine(agent: Agent, held: boolean, now: number): string {
  const { inFlight, error, stack, reminders } = agent;
  const running =
    inFlight === null
      ? agent.status
      : held
        ? `in a ${inFlight.kind} for ${formatDuration(now - Date.parse(inFlight.startedAt))}`
        : `was in a ${inFlight.kind} that will be ${inFlight.accepted ? "continued" : "done again"}`;
  const details = [
    running,
    ...(stack.length === 0
      ? []
      : [
          `returns to ${stack
            .map((frame) => frame.returnTo)
            .toReversed()
            .join(", ")}`,
        ]),
    ...(reminders === 0 ? [] : [counted(reminders, "reminder")]),
    ...(agent.cwd === null ? [] : [`in ${agent.cwd}`]),
    ...(error === null ? [] : [error.message]),
  ];
  return `${agent.id} at ${agent.state}: ${details.join("; ")}`;
}
