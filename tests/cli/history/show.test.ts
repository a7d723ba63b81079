import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { showCommand } from "../../../src/cli/commands/inspect/show.ts";
import { MAX_MESSAGE } from "../../../src/log/truncate.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { samples } from "../../log/samples.ts";
import { agent } from "../../support/agents.ts";
import { run, settings } from "../../support/runs.ts";
import { ended, logOf, modelMessage, NOON, saveRun, started } from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

const RUN = run({ processes: 4, status: "failed" });
const LOG = logOf([
  started(1),
  started(2, { agent: "w1", state: "W.sh", kind: "script", session: null, sessionId: null }),
  modelMessage("Looks fine.\nI continue."),
  { type: "step.output", agent: "w1", state: "W.sh", stream: "stderr", text: "disk full" },
  ended(1, { context: { tokens: 46_000, window: 200_000 } }),
  { type: "agent.reminded", agent: "main", state: "START.md", reminder: 1, problem: "No tag." },
  ended(2, { agent: "w1", state: "W.sh", kind: "script", ok: false, failure: "crash" }),
  started(3, { delivery: "reminder", attempt: 2 }),
] satisfies readonly Event[]);

type Options = Partial<Parameters<typeof showCommand>[0]>;

async function show(options: Options = {}, log = LOG, of: RunState = RUN, files = {}) {
  const dir = await saveRun(of, log);
  const debug = path.join(dir, ".raymond", "debug", of.id);
  await mkdir(debug, { recursive: true });
  for (const [name, text] of Object.entries<string>(files)) {
    await writeFile(path.join(debug, name), text);
  }
  const shell = testShell(dir);
  await showCommand({ run: "latest", ...options }, { ...shell, now: () => NOON });
  return { out: shell.stdout(), err: shell.stderr() };
}

describe("raymond show", () => {
  it("lists each step with its duration and the events that followed, the newest last", async () => {
    const { out } = await show();
    const lines = out.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "));

    expect(lines[1]).toMatch(
      /1 \| today \d\d:00 \| main \| START\.md \| 2s \| \$0\.0100 \| 46k of 200k.* \| ! reminder 1: No tag\.$/,
    );
    expect(lines[2]).toMatch(/2 \| .* \| w1 \| W\.sh \| 2s \(crash\)/);
    expect(lines[3]).toMatch(/3 \| .* \| START\.md \(reminder\), attempt 2 \| was cut off$/);
  });

  it("prints each event that followed from a step on its own line", async () => {
    const fork = (worker: string) => ({ ...samples["agent.forked"], agent: "main", worker });
    const forks = Array.from({ length: 12 }, (_, at) => fork(`w${String(at)}`));

    const { out } = await show({}, logOf([started(1), ended(1), ...forks]));

    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[1]).toContain("w0");
    expect(lines[2]).toMatch(/^ +\S.*w1/);
    expect(lines.at(-1)).toMatch(/^ +… 4 more events: show RUN STEP has them$/);
  });

  it("shows a wait once that continues after a resume", async () => {
    const waiting = samples["agent.waiting"];
    const log = logOf([started(1, { agent: waiting.agent }), waiting, waiting]);

    expect((await show({}, log)).out.match(/waiting for/g)).toHaveLength(1);
  });

  it("shows the last steps, and the command for earlier ones", async () => {
    const { out, err } = await show({ limit: "1" });

    expect(out).toContain("(reminder)");
    expect(out).not.toContain("W.sh");
    expect(err).toBe("Earlier steps: raymond show wf-2026-11-21-k3x9qd --before 3\n");
    expect((await show({ limit: "1", before: "3" })).out).toContain("W.sh");
    expect((await show({ agent: "w1" })).out).not.toContain("START.md");
  });

  it("reads only the part of a log that it shows", async () => {
    const torn = '{"type":"step.sta\n'.repeat(100_000);

    expect((await show({ limit: "2" }, torn + LOG)).err).not.toContain("cannot be read");
    expect((await show({}, torn + LOG)).err).toContain(
      "100000 lines of the event log were skipped",
    );
  });

  it("shows one step in detail: prompt, messages, output, files", async () => {
    const files = { "main_START_1.prompt.md": "Review it.\n", "main_START_1.jsonl": "{}\n" };
    const { out } = await show({ step: "1" }, LOG, RUN, files);

    expect(out).toContain("prompt\n  Review it.\n");
    expect(out).toContain("said\n  Looks fine.\n  I continue.\n");
    expect(out).toContain("then\n  ! reminder 1: No tag.\n");
    expect(out).toMatch(/files\n {2}.*main_START_1\.jsonl\n/);
    expect(out).toContain("open\n  cd /repo && claude --resume s1\n");
    expect((await show({ step: "2" })).out).toContain("stderr\n  disk full\n");
  });

  it("prints the messages and tools of a step as JSON, in order", async () => {
    const where = { agent: "main", state: "START.md" };
    const tool: Event = { type: "step.tool", ...where, tool: "Bash", argument: "ls" };
    const log = logOf([started(1), modelMessage("I look."), tool, modelMessage("Done.")]);

    const { out } = await show({ step: "1", json: true }, log);

    expect(JSON.parse(out)).toMatchObject({
      did: [{ text: "I look." }, { tool: "Bash" }, { text: "Done." }],
    });
  });

  it("reads a message that is too long for the log from the client's stream", async () => {
    const long = `${"x".repeat(MAX_MESSAGE)} and this`;
    const cut = `${"x".repeat(10)}… (16393 bytes in all)`;
    const message = { role: "assistant", id: "m1", content: [{ type: "text", text: long }] };
    const stream = [
      { type: "system", subtype: "init", session_id: "s1", model: "sonnet" },
      { type: "assistant", message, session_id: "s1" },
    ];
    const files = { "main_START_1.jsonl": `${stream.map((e) => JSON.stringify(e)).join("\n")}\n` };

    const { out } = await show({ step: "1" }, logOf([started(1), modelMessage(cut)]), RUN, files);

    expect(out).toContain("and this\n");
    expect(out).not.toContain("bytes in all");
  });

  it("says why a prompt is missing", async () => {
    const kept = run({ ...RUN, settings: settings({ debug: false }) });

    expect((await show({ step: "1" })).out).toContain("(gone: its debug files were removed");
    expect((await show({ step: "1" }, LOG, kept)).out).toContain("(not kept: the run has no");
  });

  it.each([
    [{ step: "9" }, "Its steps are 1 to 4."],
    [{ step: "4" }, "Its line is damaged, was removed, or was written by another version"],
    [{ step: "2", agent: "main" }, "Show it with: raymond show wf-2026-11-21-k3x9qd 2"],
  ])("refuses a step that is not there: %o", async (options, hint) => {
    const named = { ...RUN, agents: [agent()] };

    await expect(show(options, LOG, named)).rejects.toMatchObject({
      code: "run/unknown-step",
      hint: expect.stringContaining(hint) as unknown,
    });
  });
});
