import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConsoleOptions, consoleObserver } from "../../src/console/console.ts";
import { colorStyle, plainStyle } from "../../src/console/style.ts";
import { resumeAdvice } from "../../src/console/summary.ts";
import type { Observer } from "../../src/engine/ports/observer.ts";
import { nextBudget } from "../../src/log/resume-needs.ts";
import type { Event } from "../../src/machine/model/event.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { describeObserver } from "../contracts/observer.ts";
import { anyEvent, samples } from "../log/samples.ts";
import { agent, running } from "../support/agents.ts";
import { run, settings, totals } from "../support/runs.ts";

function recordingConsole(changes: Partial<ConsoleOptions> = {}): {
  observer: Observer;
  output: () => string;
} {
  let output = "";
  const observer = consoleObserver({
    write: (text) => {
      output += text;
    },
    style: plainStyle,
    detail: () => "normal",
    columns: () => null,
    ...changes,
  });
  return { observer, output: () => output };
}

function shown(
  events: readonly Event[],
  changes: Partial<ConsoleOptions> = {},
  state: RunState = run(),
): string {
  const { observer, output } = recordingConsole(changes);
  for (const event of events) observer.notify(event, state, 1);
  return output();
}

const oneStep: readonly Event[] = [
  { ...samples["step.started"], attempt: 1 },
  samples["step.message"],
  samples["step.tool"],
  { ...samples["step.ended"], denials: [] },
  { ...samples["agent.moved"], implied: false, dropped: 0 },
];

describeObserver(
  "consoleObserver",
  () => Promise.resolve(recordingConsole().observer),
  () =>
    Promise.resolve(
      recordingConsole({
        write: () => {
          throw new Error("EPIPE");
        },
      }).observer,
    ),
);

describe("consoleObserver", () => {
  it("shows a step as a header with indented lines below", () => {
    expect(shown(oneStep)).toBe(
      [
        "main  PLAN.md",
        "  I will read the code first.",
        "  Bash  npm test",
        "  $0.0420, total $0.42, 1m 05s",
        "  → reset BUILD.md in /repo/app",
        "",
      ].join("\n"),
    );
  });

  it("names the agent on each line once there are several", () => {
    const worker = { ...samples["step.message"], agent: "main_work1", text: "Working." };

    expect(
      shown([...oneStep.slice(0, 2), samples["agent.forked"], worker, samples["step.tool"]]),
    ).toBe(
      [
        "main  PLAN.md",
        "  I will read the code first.",
        "main          + main_work1 at WORK.md (item=7), on branch raymond/fix-7",
        "main_work1    Working.",
        "main          Bash  npm test",
        "",
      ].join("\n"),
    );
  });

  it("shows the local time before each header if it has a clock", () => {
    const noon = new Date(2026, 10, 21, 12, 5, 9).getTime();

    expect(shown(oneStep.slice(0, 2), { now: () => noon })).toBe(
      "12:05:09 main  PLAN.md\n  I will read the code first.\n",
    );
  });

  it("shows with --quiet only warnings, errors and the end", () => {
    const output = shown(
      [samples["run.started"], ...oneStep, samples["agent.failed"], samples["run.ended"]],
      { detail: () => "quiet" },
    );

    expect(output).toContain("! failed: TEST.sh ended with exit code 2");
    expect(output).toContain("npm: not found");
    expect(output).toContain("hint: Install npm.");
    expect(output).toContain("stopped at the budget");
    expect(output).not.toContain("PLAN.md\n");
    expect(output).not.toContain("npm test");
  });

  it("shows with --verbose processes, sessions, tokens and whole messages", () => {
    const output = shown([...oneStep, { ...samples["step.message"], text: "One.\nTwo." }], {
      detail: () => "verbose",
      columns: () => 30,
    });

    expect(output).toContain("process 3, branch session");
    expect(output).toContain(
      "tokens: 1 in, 2 out, 3 from cache, 4 to cache, claude-sonnet-4-5, client 2.1.330",
    );
    expect(output).toContain("Two.");
  });

  it("shows the first line of a message, cut to the terminal, and the number of further lines", () => {
    const message = { ...samples["step.message"], text: `${"x".repeat(100)}\n\ntwo\nthree` };

    expect(shown([message], { columns: () => 40 })).toBe(
      `  ${"x".repeat(14)}… (+ 86 chars, 2 lines)\n`,
    );
    expect(shown([{ ...message, text: "x".repeat(300) }])).toBe(
      `  ${"x".repeat(185)}… (+ 115 chars)\n`,
    );
  });

  it("shows how many characters and lines of a result are cut, also with --verbose", () => {
    const ended = { ...samples["agent.ended"], result: `${"y".repeat(60)}\ntwo` };
    const narrow: Partial<ConsoleOptions> = { columns: () => 42 };

    expect(shown([ended], narrow)).toBe(`  = result: ${"y".repeat(8)}… (+ 52 chars, 1 line)\n`);
    expect(shown([ended], { ...narrow, detail: () => "verbose" })).toBe(
      `  = result: ${"y".repeat(60)} (+ 1 line)\n`,
    );
    expect(shown([{ ...ended, result: "short" }], narrow)).toBe("  = result: short\n");
    const moved = {
      ...samples["agent.moved"],
      transition: { tag: "result", payload: "YES\nbecause" },
      to: "B.md",
      implied: false,
      dropped: 0,
    } as const;
    expect(shown([moved])).toBe("  → result to B.md: YES (+ 1 line)\n");
  });

  it("says that a cut off step will continue, and with --verbose why it did not end", () => {
    const continued = { ...samples["agent.continued"], problem: "The model did not reply." };

    expect(shown([continued])).toBe("  will continue where it was cut off\n");
    expect(shown([continued], { detail: () => "verbose" })).toContain("The model did not reply.");
  });

  it("shows a very short wait in one line", () => {
    const brief = { ...samples["run.waiting"], leftMs: 940 };

    expect(shown([brief, samples["run.woke"]], {})).toBe("continuing after the usage limit\n");
    expect(shown([{ ...brief, leftMs: 1_000 }])).toContain("! waiting 1s, until");
    expect(shown([brief], { detail: () => "verbose" })).toContain("! waiting 940ms, until");
  });

  it("shows with --verbose a long message completely, and the size of a huge one", () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${String(n)}`);
    const whole = { ...samples["step.message"], text: lines.join("\n") };
    const endless = { ...whole, text: "x".repeat(1_000_000) };
    const verbose: Partial<ConsoleOptions> = { detail: () => "verbose", columns: () => 40 };

    expect(shown([whole], verbose).trimEnd().split("\n")).toHaveLength(100);
    expect(shown([endless], verbose)).toMatch(/^ {2}x{16384}… \(1000000 bytes in all\)\n$/);
  });

  it("shows the output of scripts only with --verbose", () => {
    expect(shown([samples["step.output"]])).toBe("");
    expect(shown([samples["step.output"]], { detail: () => "verbose" })).toBe(
      "  stderr  npm warn\n  stderr  npm error\n",
    );
  });

  it("cuts messages of models to the width of the terminal, and never a warning", () => {
    const long = "x".repeat(300);
    const output = shown(
      [
        { ...samples["step.message"], text: long },
        { ...samples["run.warning"], message: long },
      ],
      { columns: () => 80 },
    );

    expect(output.split("\n")[0]).toHaveLength(80);
    expect(output).toContain(long);
  });

  it("sums up a run that stopped at its budget, with the command to resume it", () => {
    const state = run({
      id: "wf-1",
      settings: settings({ budgetMicroUsd: 10_000_000 }),
      totals: totals({ costMicroUsd: 10_300_000, estimatedMicroUsd: 250_000 }),
      denied: [{ state: "PLAN.md", tool: "Bash", input: "git push", count: 2 }],
    });
    const output = shown(
      [samples["agent.reminded"], samples["agent.reminded"], samples["run.ended"]],
      { detail: () => "quiet", program: "raymond --state-dir /x" },
      state,
    );

    expect(output.split("\n").slice(-8)).toEqual([
      "stopped at the budget: $10.30 and about $0.25 (estimated), 7 steps",
      "  main at PLAN.md: The budget of $10.00 is used up.",
      "  2 tool calls were denied:",
      "    PLAN.md  Bash  git push 2×",
      "  to allow them: --allow 'command(git push)'",
      "  reminders sent in: PLAN.md 2×",
      "  resume with: raymond --state-dir /x resume wf-1 --budget 20",
      "",
    ]);
  });

  it("prints no resume command for a completed run", () => {
    const output = shown([{ ...samples["run.ended"], status: "completed", reason: null }]);

    expect(output).toMatch(/^completed: /);
    expect(output).not.toContain("--resume");
  });

  it("marks a simulated run at its start and at its end", () => {
    const output = shown(
      [samples["run.started"], samples["run.ended"]],
      {},
      run({ backend: "simulation" }),
    );

    expect(output.match(/simulated/g)).toHaveLength(2);
  });

  it("prints no escape sequences of models and scripts", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 4 }), (events) => {
        const output = shown(events, { style: colorStyle, detail: () => "verbose", now: () => 0 });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
        const rest = output.replace(/\u001b\[\d{1,2}m/g, "").replaceAll("\n", "");

        expect(rest).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });

  it("continues when its destination fails, and prints again when it works", () => {
    let full = true;
    let output = "";
    const observer = consoleObserver({
      write: (text) => {
        if (full) throw new Error("ENOSPC");
        output += text;
      },
      style: plainStyle,
      detail: () => "normal",
      columns: () => null,
    });

    observer.notify(samples["step.message"], run(), 1);
    full = false;
    observer.notify(samples["step.tool"], run(), 1);

    expect(output).toBe("  Bash  npm test\n");
  });
});

describe("what is said once", () => {
  const reply = (text: string): Event => ({ ...samples["step.message"], text });

  it("hides a reply that is only a tag", () => {
    expect(shown([reply("<result>done</result>\n")])).toBe("");
    expect(shown([reply("<result>done</result>")], { detail: () => "verbose" })).toContain(
      "<result>",
    );
    expect(shown([reply("It works. <result>done</result>")])).toContain("It works.");
  });

  it("shows queued agents once, with their number", () => {
    const agents = ["a", "b", "c", "d"].map((id) => agent({ id, state: "WORK.md" }));
    const [first, ...others] = agents;
    const busy = first && { ...first, activity: running({ kind: "prompt" }) };
    const state = run({
      agents: busy === undefined ? [] : [busy, ...others],
      settings: settings({ maxParallel: 1 }),
    });
    const waits = others.map(({ id }): Event => {
      const wait = { kind: "place", maxParallel: 1 } as const;
      return { type: "agent.waiting", agent: id, state: "WORK.md", wait };
    });

    const text = shown(waits, {}, state);

    expect(text.match(/queued \(--max-parallel/g)).toHaveLength(1);
    expect(text).toContain("like 2 more agents");
    expect(
      shown(waits, { detail: () => "verbose" }, state).match(/queued \(--max-parallel/g),
    ).toHaveLength(3);
  });
});

describe("a script that fails without a tag", () => {
  const script = { ...samples["step.started"], kind: "script", attempt: 1 } as const;
  const wrote = (text: string): Event => ({ ...samples["step.output"], agent: script.agent, text });
  const ended = { ...samples["step.ended"], agent: script.agent, ok: true } as const;
  const failed = { ...samples["agent.failed"], agent: script.agent };

  it("is shown with its last lines of output", () => {
    const text = shown([script, wrote("one\ntwo"), wrote("three"), ended, failed]);

    expect(text).toMatch(/output:\n.*one\n.*two\n.*three\n/);
  });

  it("is shown without output", () => {
    expect(shown([script, ended, failed])).toContain("output: none");
  });

  it("does not repeat the output of a failed script", () => {
    const text = shown([script, wrote("one"), { ...ended, ok: false }, failed]);

    expect(text).not.toContain("printed");
  });
});

describe("resumeAdvice", () => {
  it.each([
    ["completed", null],
    ["failed", "raymond resume r1"],
    ["paused", "raymond resume r1"],
    ["running", "raymond resume r1"],
    ["budget_exceeded", "raymond resume r1 --budget 20"],
  ] as const)("of a run that is %s is %s", (status, advice) => {
    expect(resumeAdvice(run({ id: "r1", status }))).toBe(advice);
  });

  const stopped = (of: "budget" | "step-limit", state: string | null) =>
    ({ class: of, message: "x", agent: null, state }) as const;

  it("raises a used up number of steps", () => {
    const paused = run({
      id: "r1",
      status: "paused",
      steps: 10,
      settings: settings({ maxSteps: 10 }),
      stopReason: stopped("step-limit", null),
    });

    expect(resumeAdvice(paused)).toBe("raymond resume r1 --max-steps 20");
  });

  it.each(["limit", "outage"] as const)("waits if a run with --no-wait stopped at a %s", (of) => {
    const reason = { class: of, message: "x", agent: "main", state: "A.md" };
    const paused = (wait: boolean) =>
      run({ id: "r1", status: "paused", stopReason: reason, settings: settings({ wait }) });

    expect(resumeAdvice(paused(false))).toBe("raymond resume r1 --wait");
    expect(resumeAdvice(paused(true))).toBe("raymond resume r1");
  });

  it("raises --max-wait for a longer usage limit", () => {
    const limited = run({
      id: "r1",
      status: "paused",
      settings: settings({ maxWaitMs: 60_000 }),
      stopReason: { class: "limit", message: "x", agent: "main", state: "A.md" },
      waits: {
        claude: { class: "limit", until: 300_000, since: 0, tries: 1, process: 1, message: "x" },
      },
    });

    expect(resumeAdvice(limited)).toBe("raymond resume r1 --max-wait 5m");
  });

  it("raises all limits that are used up", () => {
    const both = run({
      ...{ id: "r1", status: "interrupted", steps: 10 },
      settings: settings({ maxSteps: 10, budgetMicroUsd: 10_000_000 }),
      totals: { ...totals(), costMicroUsd: 10_500_000 },
    });

    expect(resumeAdvice(both)).toBe("raymond resume r1 --budget 20 --max-steps 20");
  });

  it("raises no limit of the run if a state has used up its own", () => {
    const visits = run({ id: "r1", status: "paused", stopReason: stopped("step-limit", "A.md") });
    const budget = run({
      id: "r1",
      status: "budget_exceeded",
      stopReason: stopped("budget", "A.md"),
    });

    expect(resumeAdvice(visits)).toBe("raymond resume r1");
    expect(resumeAdvice(budget)).toBe("raymond resume r1");
  });
});

describe("nextBudget", () => {
  it.each([
    [10, 10.3, "20"],
    [10, 15.1, "30"],
    [5, 25, "30"],
    [0.01, 0.012, "0.02"],
    [2.5, 2.6, "5"],
  ])("suggests after a budget of %d with %d spent: %s", (budget, spent, text) => {
    expect(nextBudget(budget * 1e6, spent * 1e6)).toBe(text);
  });

  it("always leaves at least half of the old budget to spend", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 0, max: 1e10 }),
        (budget, spent) => {
          const next = Math.round(Number(nextBudget(budget, spent)) * 1e6);
          expect(next - spent).toBeGreaterThanOrEqual(Math.floor(budget / 2));
        },
      ),
    );
  });
});
