import { describe, expect, it } from "vitest";
import { whyCommand } from "../../../src/cli/commands/inspect/why.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { agent, failed, running, waiting } from "../../support/agents.ts";
import { run, settings } from "../../support/runs.ts";
import { ended, logOf, modelMessage, saveRun, started } from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

/** What `raymond why` prints of this run. */
async function why(of: RunState, log = "", named?: string): Promise<string> {
  const shell = testShell(await saveRun(of, log));
  await whyCommand({ run: "latest", agent: named }, shell);
  return shell.stdout();
}

const error = { message: "No transition tag found.", hint: "Say which tag ends it." };
const FAILED = run({
  status: "failed",
  stopReason: { class: "deterministic", message: error.message, agent: "main", state: "START.md" },
  agents: [agent({ activity: failed(error) })],
});

describe("raymond why", () => {
  it("shows why a run failed, the last lines, and the command that resumes it", async () => {
    const denials = [{ tool: "Bash", input: "npm test" }];
    const text = await why(
      FAILED,
      logOf([started(3), modelMessage("All done."), ended(3, { denials })]),
    );

    expect(text.split("\n")).toEqual([
      "wf-2026-11-21-k3x9qd: failed. No transition tag found. main at START.md: failed.",
      "",
      "main, step 3",
      "  All done.",
      "  ! denied: Bash  npm test",
      "  $0.0100, total $0.0100, 2s",
      "hint      Say which tag ends it.",
      "open      cd /repo && claude --resume s1",
      "",
      "next",
      "  raymond resume wf-2026-11-21-k3x9qd",
      "or, for denied tool calls, to allow them:",
      "  raymond resume wf-2026-11-21-k3x9qd --allow 'command(npm test)'",
      "or, to continue with a result of your own:",
      "  raymond set wf-2026-11-21-k3x9qd main --result TEXT",
      "",
    ]);
  });

  it("reports the limit once if many agents wait for a free slot", async () => {
    const agents = Array.from({ length: 20 }, (_, at) => agent({ id: `w${String(at)}` }));
    const [first, ...others] = agents;
    const busy = first === undefined ? [] : [{ ...first, activity: running({ kind: "prompt" }) }];
    const text = await why(
      run({ agents: [...busy, ...others], settings: settings({ maxParallel: 1 }) }),
    );

    expect(text.match(/queued \(--max-parallel 1\)/g)).toHaveLength(1);
    expect(text).toContain("18 more agents wait for a slot as well.");
  });

  it("explains a run also if the event log is damaged or missing", async () => {
    for (const log of ["", '{"type":"step.sta']) {
      expect(await why(FAILED, log)).toContain("No transition tag found.");
    }
  });

  it("names the workers that a join waits for, and what they wait for", async () => {
    const forked = ["w1", "w2"].map((id) => {
      const end = id === "w1" ? ({ ok: true, result: "x" } as const) : null;
      return { agent: id, state: "W.md", attributes: {}, end };
    });
    const join = { kind: "join", min: null, late: null } as const;
    const asked = { kind: "answer", number: 1, question: "Ship it?", options: null } as const;
    const text = await why(
      run({
        agents: [
          agent({ forked, activity: { type: "waiting", since: null, until: null, for: join } }),
          agent({
            id: "w2",
            activity: {
              type: "waiting",
              since: null,
              until: null,
              for: { ...asked, late: null, from: "W.md", call: 0 },
            },
          }),
        ],
      }),
      "",
      "main",
    );

    expect(text).toContain("main at START.md: waiting for 1 worker; still missing: w2.");
    expect(text).toContain("w2 at START.md: waiting for an answer: Ship it?");
    expect(text).toContain("raymond resume wf-2026-11-21-k3x9qd\n");
  });

  it("rejects an unknown agent and suggests a similar one", async () => {
    await expect(why(FAILED, "", "mian")).rejects.toMatchObject({
      code: "run/unknown-agent",
      hint: "Did you mean main? Its agents: main.",
    });
  });

  it("reports a crash, and the wait that an agent was in", async () => {
    const text = await why(run({ agents: [agent({ activity: waiting(Date.now() + 60_000) })] }));

    expect(text).toMatch(
      /crashed\. No process runs it any more\. main at START\.md: waiting for its/,
    );
  });
});
