import { describe, expect, it } from "vitest";
import { formatPage } from "../../../src/cli/status/page.ts";
import { reportJson } from "../../../src/inspect/json/report-json.ts";
import { type RunFacts, reportOf } from "../../../src/inspect/report.ts";
import type { EventType } from "../../../src/machine/model/event.ts";
import { agent, failed, frame, running, waiting } from "../../support/agents.ts";
import { readHistory } from "../../support/history.ts";
import { logLine } from "../../support/log-line.ts";
import { run, settings, totals } from "../../support/runs.ts";

const NOW = Date.parse("2026-11-22T08:12:00.000Z");
const line = (type: EventType, minute: number, rest: object) => {
  const at = new Date(Date.parse("2026-11-22T03:00:00.000Z") + minute * 60_000).toISOString();
  return logLine(type, rest, { seq: minute, at });
};
const step = (process: number, session: string | null) => ({
  agent: "main_w1",
  state: "WORK.md",
  process,
  session_id: session,
  cwd: "/repo/it's here",
});
const LOG = [
  line("run.started", 0, { run: "r" }),
  line("step.started", 0, step(1, "s7")),
  line("step.ended", 10, {
    ...step(1, null),
    client_version: "2.1.330",
    denials: [],
  }),
  line("agent.reminded", 10, { agent: "main_w1", state: "WORK.md" }),
  line("agent.ended", 10, { agent: "main_w1", state: "WORK.md", result: "x" }),
  line("step.started", 10, { ...step(2, "s8"), agent: "main" }),
  line("run.resumed", 60, { run: "r" }),
  line("step.started", 60, { ...step(3, "s8"), agent: "main" }),
  line("step.ended", 62, { ...step(3, null), agent: "main", client_version: "2.1.330" }),
  line("run.ended", 62, { run: "r" }),
].join("\n");

const DENIED = [{ state: "WORK.md", tool: "Bash", input: "npm test", count: 1 }];

function evidence(changes: Partial<RunFacts> = {}): RunFacts {
  return {
    run: run({ id: "r", status: "interrupted", results: { main_w1: "x" }, denied: DENIED }),
    status: "interrupted",
    holder: null,
    history: readHistory(LOG),
    waitReasons: [],
    answers: [],
    leftovers: [],
    debug: null,
    now: NOW,
    program: "raymond",
    ...changes,
  };
}

function page(changes: Partial<RunFacts> = {}, width: number | null = null): string {
  return formatPage(reportOf(evidence(changes)), width).join("\n");
}

describe("the page of a run", () => {
  it("says when it stopped and how long it worked, without the time between its processes", () => {
    expect(page()).toMatch(/^stopped +\S+( \S+)? \d\d:02, 4 h ago$/m);
    expect(page()).toMatch(/^worked +12m 00s$/m);
  });

  it("shows the command that opens the conversation of each agent, also of ended ones", () => {
    expect(page()).toContain(
      "  main_w1 at WORK.md: has ended\n    cd '/repo/it'\\''s here' && claude --resume s7\n",
    );
  });

  it.each(["simulation", "plain"])(
    "opens none of a backend that has no such client: %s",
    (backend) => {
      expect(page({ run: run({ backend }) })).not.toContain("claude --resume");
    },
  );

  it("names the coding agents of a run that does not use the default one alone", () => {
    const activity = running({ kind: "prompt", backend: "codex" });
    const agents = [agent({ state: "PLAN.md", activity })];

    const shown = page({ run: run({ agents, owners: { s1: "codex" } }) });

    expect(shown).toMatch(/^on +claude, codex$/m);
    expect(shown).toMatch(/was in step \d+, a prompt on codex, which/);
    expect(page({ run: run() })).not.toMatch(/^on /m);
  });

  it("shows denied tool calls with the flag that allows them, and reminders", () => {
    expect(page()).toMatch(/^denied +WORK\.md {2}Bash {2}npm test$/m);
    expect(page()).toContain("--allow 'command(npm test)'");
    expect(page()).toMatch(/^reminded +WORK\.md 1×$/m);
    const allowed = settings({ allowedTools: ["Bash(npm test)"] });
    expect(page({ run: run({ settings: allowed, denied: DENIED }) })).not.toContain("to allow");
    expect(page({ run: run() })).not.toContain("denied");
  });

  it("shows the cost and the wait of each agent, and where its result goes", () => {
    const stack = [frame()];
    const delayed = run({
      agents: [
        agent({
          id: "main",
          state: "ASK.md",
          stack,
          activity: waiting(NOW + 240_000),
          sums: totals({ attempts: 1, costMicroUsd: 1_500_000 }),
        }),
      ],
    });

    expect(page({ run: delayed, status: "running" })).toMatch(
      /^ {2}main at ASK\.md: waiting for its next attempt, .*in 4 min; its result goes to BACK\.md \(\$1\.50\)$/m,
    );
  });

  it("names the gate that runs for an agent, and not the state that it verifies", () => {
    const gated = agent({
      state: "START.md",
      gate: {
        transitions: [{ tag: "goto", target: "DONE.md" }],
        implied: false,
        checks: [{ state: "TESTS.sh", attempts: 5, onFail: null }],
        starts: 1,
      },
      activity: running({ kind: "script", accepted: false }),
    });

    expect(page({ run: run({ agents: [gated] }) })).toContain(
      "main at START.md: was in step 1, the gate TESTS.sh, which will be repeated",
    );
  });

  it("shows a failure with its hint once", () => {
    const error = {
      class: "deterministic",
      message: "No tag.",
      hint: "Say so.",
      state: "A.md",
    } as const;
    const stopReason = { ...error, agent: "main" };
    const broken = run({
      status: "failed",
      stopReason,
      agents: [agent({ activity: failed(error), state: "A.md" })],
    });

    const text = page({ run: broken, status: "failed", debug: "/repo/.raymond/debug/r" });

    expect(text).toMatch(/^reason +No tag\.\n +main at A\.md\nhint +Say so\.$/m);
    expect(text.split("No tag.")).toHaveLength(2);
    expect(text).toMatch(/^debug +\/repo\/\.raymond\/debug\/r$/m);
  });

  it("lists orphan processes, and the command that ends them", () => {
    const leftovers = [{ pid: 4711, startTicks: "1", command: "sleep 300" }];

    expect(page({ status: "crashed", leftovers })).toMatch(
      /^alive +1 process of this run.*\n +4711 {2}sleep 300\n.*\n +raymond stop r$/m,
    );
    const many = Array.from({ length: 12 }, (_, n) => ({
      ...{ pid: 100 + n, startTicks: "1" },
      command: `node ${"x".repeat(200)}`,
    }));
    expect(page({ status: "crashed", leftovers: many })).toMatch(
      /^alive +12 processes of this run.*\n(?: +\d+ {2}node x+…\n){10} +… and 2 more\n/m,
    );
  });

  it("shows results, and says where the rest of a cut result is", () => {
    const long = Array.from({ length: 99 }, (_, n) => `line ${String(n)}`).join("\n");
    const text = page({ run: run({ id: "r", results: { main: "one\n\n- two", main_w1: long } }) });

    expect(text).toContain("  main\n    one\n\n    - two\n");
    expect(text).toContain("    line 39\n    … cut:");
    expect(text).toContain("The whole: raymond status r --json");
  });

  it("fits 60 columns except for commands", () => {
    const reason = "It went wrong ".repeat(12).trim();
    const stopReason = {
      class: "crash",
      message: reason,
      agent: "main",
      state: "A.md",
    } as const;
    const lines = page({ run: run({ stopReason, launchDir: "/r" }) }, 60).split("\n");

    const wide = lines.filter((each) => each.length > 60);
    expect(wide.every((each) => each.includes("claude --resume"))).toBe(true);
    expect(lines.join("\n")).toContain("\n          wrong It went");
  });

  it("works without an event log", () => {
    const text = page({ history: null });

    expect(text).toMatch(/^status +interrupted$/m);
    expect(text).toMatch(/^ {2}main at START\.md: ready\n {4}cd \/repo && claude --resume s1$/m);
    expect(text).not.toContain("worked");
  });

  it("makes control characters visible", () => {
    expect(page({ run: run({ results: { main: "a\u001b[31mb" } }) })).toContain("a␛[31mb");
  });
});

describe("the same for scripts", () => {
  it("contains the state and the facts of the page", () => {
    expect(reportJson(reportOf(evidence()))).toMatchObject({
      workflow_id: "r",
      status: "interrupted",
      held_by: null,
      stopped_at: "2026-11-22T04:02:00.000Z",
      worked_s: 720,
      report: [
        { agent: "main", ended: false, waits_for: null, session_id: "s1" },
        { agent: "main_w1", ended: true, session_id: "s7", sessions: ["s7"] },
      ],
      denied: DENIED,
      allow: "--allow 'command(npm test)'",
      reminded: { "WORK.md": 1 },
      alive: [],
      next: "raymond resume r",
    });
    expect(reportJson(reportOf(evidence({ history: null })))).toMatchObject({
      worked_s: null,
      denied: DENIED,
      reminded: null,
    });
  });
});
