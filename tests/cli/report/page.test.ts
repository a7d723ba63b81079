import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { reportCommand } from "../../../src/cli/commands/inspect/report.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import { run, settings, totals } from "../../support/runs.ts";
import { ended, logOf, saveRun, started } from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

const RUN = run({ status: "completed", agents: [], results: { main: "All is well." } });

async function pageOf(state: typeof RUN, events: readonly Event[]): Promise<string> {
  const shell = testShell(await saveRun(state, logOf(events)));
  await reportCommand({ run: "latest", html: true }, shell);
  return shell.stdout();
}

function titlesOf(page: string): readonly (string | undefined)[] {
  return [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);
}

/** Elements that a page could do something with, or fetch something by. */
const ACTIVE = /<(?:script|img|iframe|link|object|embed|form|input|base)\b|\son\w+=|javascript:/i;
const HOSTILE = `</pre></td></style><script>alert(1)</script><img src=x onerror="alert(2)">' \u202Eturned`;

describe("a report as HTML", () => {
  it("is one file without scripts and references to other files", async () => {
    const page = await pageOf(RUN, [started(1), ended(1)]);

    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(ACTIVE);
    expect(page).not.toMatch(/https?:\/\/|@import|url\(/);
  });

  it("escapes texts of models, scripts and users everywhere", async () => {
    const by = { user: HOSTILE, host: HOSTILE, via: "command" } as const;
    const page = await pageOf(
      run({
        status: "failed",
        stopReason: { class: "crash", message: HOSTILE, agent: "main", state: HOSTILE },
        results: { [HOSTILE]: HOSTILE },
        workflow: { kind: "folder", path: `/repo/${HOSTILE}`, entry: "START.md" },
        settings: settings({ model: HOSTILE, allowedTools: [HOSTILE] }),
        denied: [{ state: HOSTILE, tool: HOSTILE, input: HOSTILE, count: 1 }],
        sums: { states: { [HOSTILE]: totals({ attempts: 1 }) }, models: {}, backends: {} },
      }),
      [
        started(1, { state: HOSTILE }),
        ended(1, { ok: false, failure: "crash", denials: [{ tool: HOSTILE, input: HOSTILE }] }),
        {
          ...{ type: "agent.failed", agent: "main", state: HOSTILE, class: "crash" },
          ...{ problem: HOSTILE, hint: HOSTILE },
        },
        {
          ...{ type: "agent.asked", agent: "main", state: HOSTILE, number: 1 },
          ...{ question: HOSTILE, options: [HOSTILE], until: null },
        },
        {
          ...{ type: "agent.answered", agent: "main", state: HOSTILE, number: 1 },
          ...{ answer: HOSTILE, by, at: 0 },
        },
      ],
    );

    // Escaped, the words stand there still: what is looked for is what a browser would take for an element.
    expect(page.match(/<[a-z][^>]*>/gi)?.filter((tag) => ACTIVE.test(tag))).toEqual([]);
    expect(page).not.toContain("\u202E");
    expect(page).toContain("&#60;script&#62;alert(1)");
    expect(page.match(/<\/style>/g)).toHaveLength(1);
  });

  it("starts with the result of a completed run, and with the status of others", async () => {
    const done = await pageOf(RUN, [started(1), ended(1)]);
    const failed = await pageOf(run({ status: "paused", results: { w: "it" } }), [started(1)]);

    expect(titlesOf(done).slice(0, 2)).toEqual(["Results", "Status"]);
    expect(titlesOf(failed).slice(0, 2)).toEqual(["Status", "Results"]);
  });

  it("shows failures with their consequences, and denied tool calls", async () => {
    const denied = [{ state: "START.md", tool: "Bash", input: "rm -rf /", count: 1 }];
    const page = await pageOf({ ...RUN, denied }, [
      started(1),
      ended(1, { ok: false, failure: "crash" }),
      {
        ...{ type: "agent.retrying", agent: "main", state: "START.md", class: "crash" },
        ...{ problem: "The client ended.", retry: 1, delayMs: 1_000 },
      },
      started(2),
      ended(2),
    ]);

    expect(page).toMatch(
      /<td>crash<\/td><td class="words">The client ended\.<\/td><td>was retried/,
    );
    expect(page).toMatch(/<td>Bash<\/td><td class="words">rm -rf \/<\/td>/);
  });

  it("says which steps of a long run are left out", async () => {
    const steps = Array.from({ length: 501 }, (_, at) => [started(at + 3), ended(at + 3)]);
    const page = await pageOf(run({ ...RUN, processes: 503 }), steps.flat());

    expect(page).toContain("only its last 501 steps were read. The 2 steps before them");
    expect(page).toContain("The last 500 of 503.");
    expect(page).toContain("show wf-2026-11-21-k3x9qd --before 4</code>");
    expect(page.length).toBeLessThan(500_000);
  });

  it("is selected by the extension .html, and hides the command of notify", async () => {
    const dir = await saveRun(
      run({ ...RUN, settings: settings({ notify: "curl my-secret" }) }),
      "",
    );
    const shell = testShell(dir);
    await reportCommand({ run: "latest", output: "report.html" }, shell);

    const page = await readFile(path.join(dir, "report.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("<th>notify</th><td>(a command)</td>");
    expect(page).not.toContain("my-secret");
  });
});

describe("a report as JSON", () => {
  it("contains the facts of the page", async () => {
    const shell = testShell(await saveRun(RUN, logOf([started(1), ended(1)])));
    await reportCommand({ run: "latest", json: true }, shell);

    expect(JSON.parse(shell.stdout())).toMatchObject({
      workflow_id: RUN.id,
      status: "completed",
      in_progress: false,
      results: { main: "All is well." },
      costs: { agents: [{ name: "main", attempts: 1 }] },
      steps: [{ step: 1, running: false }],
      steps_left_out: 0,
      graph: null,
    });
  });

  it("cannot be combined with another format", async () => {
    const shell = testShell(await saveRun(RUN, ""));

    await expect(
      reportCommand({ run: "latest", json: true, html: true }, shell),
    ).rejects.toMatchObject({ code: "cli/flag-conflict" });
  });
});
