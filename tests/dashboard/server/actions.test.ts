import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newRunActions } from "../../../src/dashboard/server/actions.ts";
import { readRun } from "../../../src/inspect/run-view.ts";
import { detach } from "../../../src/run/control/detach.ts";
import { resume } from "../../../src/run/resume.ts";
import { start } from "../../../src/run/start.ts";
import { openDashboard, projectWith } from "../../support/dashboard.ts";
import { tempFolder } from "../../support/folders.ts";
import { until } from "../../support/until.ts";

const NONE = ["/nowhere/raymond"] as const;

/** A stopped run with a question, and a dashboard that allows actions. */
async function asked() {
  const caller = await projectWith({
    "ask/START.sh": 'echo "<ask next=\\"END.sh\\" options=\\"yes | no\\">Ship it?</ask>"',
    "ask/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
  });
  const run = await start({ workflow: "ask", id: "asks" }, caller);
  const of = await openDashboard(caller, { actor: newRunActions(NONE) });
  const number = run.agents.flatMap(({ activity }) =>
    activity.type === "waiting" && activity.for.kind === "answer" ? activity.for.number : [],
  )[0];
  return { caller, of, number, run: `${of.folder}/runs/asks` };
}

describe("actions of the dashboard", () => {
  it("store an answer once", async () => {
    const { caller, of, number, run } = await asked();
    const body = { agent: "main", number, text: "Yes" };

    const first = await of.post(`${run}/answer`, body);
    const second = await of.post(`${run}/answer`, body);

    expect([first.status, await first.json()]).toMatchObject([
      200,
      { workflow_id: "asks", outcome: "kept" },
    ]);
    expect([second.status, await second.json()]).toMatchObject([409, { code: "run/answered" }]);
    const { store } = await readRun({ run: "asks" }, caller);
    const answers = await store.answers("asks");
    expect(await answers.find({ agent: "main", number: number ?? 0 })).toMatchObject({
      answer: "yes",
      by: { via: "dashboard" },
    });
    expect(await of.json(run)).toMatchObject({ questions: [{ answered: true }] });
  });

  it.each([
    ["an unknown question", { number: 99 }, 409, "run/no-question"],
    ["a text that is not an option", { text: "maybe" }, 422, "run/not-an-option"],
    ["an empty text", { text: " " }, 422, "run/empty-answer"],
    ["a number instead of a text", { text: 7 }, 400, "serve/bad-request"],
    ["an unknown field", { other: 1 }, 400, "serve/bad-request"],
  ])("reject an answer with %s", async (_, changes, status, code) => {
    const { of, number, run } = await asked();

    const body = { agent: "main", number, text: "yes", ...changes };
    const answer = await of.post(`${run}/answer`, body);

    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
  });

  it("say what is wrong with a field", async () => {
    const { of, number, run } = await asked();

    const answer = await of.post(`${run}/answer`, { agent: "main", number, text: 7 });

    const { message } = (await answer.json()) as { readonly message: string };
    expect(message).toContain("text: Invalid input: expected string, received number");
  });

  it("set the result of a failed step, as the user of the server", async () => {
    const caller = await projectWith({ "flow/START.sh": "exit 1" });
    await start({ workflow: "flow", id: "fails" }, caller);
    const of = await openDashboard(caller, { actor: newRunActions(NONE) });
    const run = `${of.folder}/runs/fails`;

    const set = await of.post(`${run}/set`, { agent: "main", result: "fine", reason: "known" });
    const unknown = await of.post(`${run}/set`, { agent: "other", result: "fine" });

    expect([set.status, await set.json()]).toMatchObject([200, { outcome: "kept" }]);
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { code: "run/unknown-agent" },
    ]);
    expect(await resume({ run: "fails" }, caller)).toMatchObject({ results: { main: "fine" } });
    const { user } = caller.actor();
    // The first answer does not wait for the log.
    const overview = await until("the log", async () => {
      const found = (await of.json(run)) as { readonly log: string };
      return found.log === "read" ? found : undefined;
    });
    expect(overview).toMatchObject({
      commands: [
        { action: "start", actor: { user, via: "command" } },
        { action: "set", detail: "known", actor: { user, via: "dashboard" } },
        { action: "resume", actor: { user, via: "command" } },
      ],
    });
  });

  it("reject a resume that would stop again immediately, and name the missing field", async () => {
    const caller = await projectWith({ "flow/START.sh": "echo '<goto>START</goto>'" });
    await start({ workflow: "flow", id: "stops", settings: { maxSteps: 2 } }, caller);
    const of = await openDashboard(caller, { actor: newRunActions(NONE) });
    const run = `${of.folder}/runs/stops`;

    expect(await of.json(run)).toMatchObject({ resume_needs: { max_steps: 4, wait: false } });
    for (const body of [{}, { max_steps: 2 }]) {
      const refused = await of.post(`${run}/resume`, body);
      expect([refused.status, await refused.json()]).toMatchObject([
        409,
        { code: "serve/stops-again", hint: "Resume it with max_steps, such as 4." },
      ]);
    }
  });

  it("report the outcome for a run without a process", async () => {
    const { of, run } = await asked();

    for (const [action, outcome] of [
      ["retry", "not-waiting"],
      ["stop", "stopped"],
    ] as const) {
      const answer = await of.post(`${run}/${action}`, {});
      expect([answer.status, await answer.json()]).toMatchObject([200, { outcome }]);
    }
  });

  it.each([
    [
      "a form",
      "a=b",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "serve/no-json",
    ],
    ["plain text", "{}", { "content-type": "text/plain" }, 415, "serve/no-json"],
    [
      "a type with the prefix of JSON",
      "{}",
      { "content-type": "application/json-x" },
      415,
      "serve/no-json",
    ],
    ["invalid JSON", "{", {}, 400, "serve/bad-request"],
    ["a list", "[]", {}, 400, "serve/bad-request"],
    ["another origin", "{}", { origin: "http://127.0.0.1:4001" }, 403, "serve/wrong-origin"],
    ["an opaque origin", "{}", { origin: "null" }, 403, "serve/wrong-origin"],
    ["a browser that is not signed in", "{}", { cookie: "" }, 401, "serve/not-let-in"],
    [
      "a body of two megabytes",
      JSON.stringify({ agent: "x".repeat(2 ** 21) }),
      {},
      413,
      "serve/too-long",
    ],
  ] as const)("reject %s: %i %s", async (_, body, headers, status, code) => {
    const { of, run } = await asked();

    const answer = await of.post(`${run}/retry`, body, headers);

    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
  });

  it.each(["nothing", "start", "__proto__", "constructor"])("do not include %s", async (name) => {
    const { of, run } = await asked();

    const answer = await of.post(`${run}/${name}`, {});

    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { code: "serve/no-such-action" },
    ]);
  });

  it.each(["ask\0", "\0", "a\0/START"])(
    "reject the workflow %j, and create no folder",
    async (name) => {
      const { caller, of } = await asked();
      const runs = path.join(caller.cwd, ".raymond", "runs");
      const before = await readdir(runs);

      const answer = await of.post(`${of.folder}/runs`, { workflow: name });

      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: "serve/bad-request" },
      ]);
      expect(await readdir(runs)).toEqual(before);
    },
  );

  it("remove the folder of a run whose process cannot be started", async () => {
    const { caller } = await asked();
    const runs = path.join(caller.cwd, ".raymond", "runs");
    const before = await readdir(runs);

    const command = [process.execPath, "a\0b"] as const;
    await expect(detach({ id: "never", command, input: null }, caller)).rejects.toThrow();

    expect(await readdir(runs)).toEqual(before);
  });

  it("are rejected without --allow-control, with a hint", async () => {
    const { caller, number } = await asked();
    const of = await openDashboard(caller);

    for (const [at, body] of [
      [`${of.folder}/runs/asks/answer`, { agent: "main", number, text: "yes" }],
      [`${of.folder}/runs/asks/stop`, {}],
      [`${of.folder}/runs`, { workflow: "ask" }],
    ] as const) {
      const answer = await of.post(at, body);
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { code: "serve/read-only", hint: expect.stringContaining("--allow-control") as unknown },
      ]);
    }
    expect(await of.json("/api/runs")).toMatchObject({ control: false });
    const { store } = await readRun({ run: "asks" }, caller);
    const answers = await store.answers("asks");
    expect(await answers.find({ agent: "main", number: number ?? 0 })).toBeNull();
  });

  it("start no workflow outside the project, symbolic links resolved", async () => {
    const { caller, of } = await asked();
    const elsewhere = await tempFolder();
    await mkdir(path.join(elsewhere, "w"));
    await writeFile(path.join(elsewhere, "w", "START.sh"), "echo '<result>x</result>'");
    await symlink(path.join(elsewhere, "w"), path.join(caller.cwd, "link"));

    for (const workflow of [path.join(elsewhere, "w"), "../w", "link", "/etc"]) {
      const answer = await of.post(`${of.folder}/runs`, { workflow });
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: "serve/outside" }]);
    }
  });

  it("report why a run could not be started", async () => {
    const { of } = await asked();

    const answer = await of.post(`${of.folder}/runs`, { workflow: "ask" });

    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { code: "run/not-started", message: expect.stringContaining("ENOENT") as string },
    ]);
  });
});
