import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { encodeEvent, eventLine } from "../../src/log/codec/event-json.ts";
import type { Event } from "../../src/machine/model/event.ts";
import { fileStore } from "../../src/storage/file.ts";
import { agent, running } from "./agents.ts";
import { run, totals } from "./runs.ts";

/** Saves a long stopped run: steps of several living agents in turns. */
export async function saveLongRun(
  root: string,
  {
    id,
    steps,
    agents,
    folder,
  }: {
    readonly id: string;
    readonly steps: number;
    readonly agents: number;
    /** States of its workflow. */
    readonly folder: string;
  },
): Promise<void> {
  const names = Array.from({ length: agents }, (_, index) =>
    index === 0 ? "main" : `main_worker${String(index)}`,
  );
  const lines: string[] = [];
  const log = (event: Event): void => {
    lines.push(eventLine(encodeEvent(event), lines.length + 1, START + lines.length * 40));
  };
  log({ type: "run.started", run: id, workflow: folder, state: "START.md", backend: "claude" });
  for (let process = 1; process <= steps; process += 1) {
    const where = { agent: names[process % agents] ?? "main", state: "START.md" } as const;
    for (const event of eventsOfStep(process, where)) log(event);
  }
  const own = path.join(root, "runs", id);
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, "events.jsonl"), `${lines.join("\n")}\n`);
  const each = totals({ attempts: Math.ceil(steps / agents), costMicroUsd: 4_000_000 });
  const state = run({
    id,
    status: "interrupted",
    workflow: { kind: "folder", path: folder, entry: "START.md" },
    scopeDir: folder,
    launchDir: path.dirname(root),
    startedAt: new Date(START).toISOString(),
    agents: names.map((name, index) =>
      agent({
        id: name,
        session: { mode: "resume", id: `s-${name}` },
        activity: running({ process: steps - index }),
        sums: each,
      }),
    ),
    totals: totals({ attempts: steps, costMicroUsd: steps * 1000 }),
    sums: { states: { "START.md": totals({ attempts: steps }) }, models: {}, backends: {} },
    visits: { "START.md": steps },
    steps,
    processes: steps,
    seq: lines.length,
    saves: 1,
  });
  await fileStore(root).save(state, 0);
}

const START = Date.UTC(2026, 10, 21, 10, 30);

function eventsOfStep(
  process: number,
  where: { readonly agent: string; readonly state: "START.md" },
): readonly Event[] {
  const text = "It checks the result of the last step and continues from there.   ".repeat(4);
  const tokens = { input: 20, output: 300, cacheRead: 40_000, cacheWrite: 900 };
  return [
    {
      ...{ type: "step.started", ...where, kind: "prompt", process, attempt: 1 },
      ...{ session: "resume", sessionId: `s-${where.agent}`, cwd: "/repo", delivery: "prompt" },
    },
    { type: "step.message", ...where, text },
    { type: "step.tool", ...where, tool: "Bash", argument: "npm test -- --run core" },
    { type: "step.message", ...where, text: `${text}<goto>START</goto>` },
    {
      ...{ type: "step.ended", ...where, kind: "prompt", process, ok: true, failure: null },
      ...{ durationMs: 3_000, costMicroUsd: 1_000, estimatedMicroUsd: 0 },
      ...{ totalMicroUsd: process * 1_000, tokens, model: "claude-opus-5", version: "2.1.0" },
      ...{ denials: [], context: { tokens: 41_000, window: 200_000 } },
    },
    {
      ...{ type: "agent.moved", agent: where.agent, from: where.state, to: where.state },
      ...{ transition: { tag: "goto", target: "START.md" }, implied: false, dropped: 0 },
    },
  ];
}
