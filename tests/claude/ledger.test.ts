import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIENT_VERSIONS, type ClientVersion, clientPath } from "../support/client/clients.ts";
import {
  type Answer,
  type AnswerTable,
  cutOff,
  runs,
  says,
  stalls,
  uses,
} from "../support/client/messages-answer.ts";
import { killMarked } from "../support/process/leaks.ts";
import { until } from "../support/until.ts";
import { type Scene, setScene, UNASKED } from "./scene.ts";

/** What a run says that it has cost is no less than 98 % of what was charged (docs/budgets.md, "How money is counted"). */
const LEAST = 0.98;
/** $0.33 an answer at $3 a million. */
const DEAR = { usage: { input: 100_000, output: 2_000 } } as const;
const ENDLESS = "echo started > started; tail -f /dev/null";
const RETRIES = { CLAUDE_CODE_MAX_RETRIES: "3" } as const;
const MESSAGE = '"message":{"role":"user","content":"Beta."}';
const WORDS = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta"] as const;

describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("books all answers of a conversation when raymond alone is killed at random moments", async () => {
    const random = mulberry32(20_261_123);
    const most = Number(process.env["RAYMOND_LEDGER_KILLS"] ?? 6);
    for (let kills = 0; kills < most; ) {
      const scene = await setScene(client, chain(), chainTable());
      for (let exitCode: number | null = null; exitCode !== 0; ) {
        const isStarted = await scene.document().then(
          () => true,
          () => false,
        );
        const running = isStarted ? scene.resumed() : scene.begin();
        const over = new AbortController();
        const ms = kills < most ? 300 + Math.floor(random() * 1_700) : 60_000;
        const killed = delay(ms, undefined, { signal: over.signal }).then(
          () => {
            kills += 1;
            running.kill("SIGKILL");
          },
          () => undefined,
        );
        ({ exitCode } = await running.exit);
        over.abort();
        await killed;
        await delay(Math.floor(random() * 400));
      }
      await settled(scene, `kills of raymond (${String(kills)})`, client);
    }
  });

  it("estimates by the price of the model itself after a step with a cheap subagent", async () => {
    const task = {
      description: "sub",
      prompt: "Beta task",
      subagent_type: "general-purpose",
      model: "haiku",
    };
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Gamma." }, [
      ["Beta", says("sub answer", { usage: { input: 300_000 } })],
      ["Gamma", runs(ENDLESS, says("<result>end</result>"), DEAR)],
      ["interrupted", says("<result>end</result>")],
      [/./, uses("Agent", task, says("<goto>NEXT</goto>"))],
    ]);
    const running = scene.begin(UNASKED.args, { env: UNASKED.env });
    await scene.project.fileWith("started");
    await killAll(scene, running);

    await scene.resume([], { env: UNASKED.env });

    await settled(scene, "cheap subagent", client);
  });

  it.each(["reset", "overload"] as const)(
    "books answers that were cut off in mid-stream (%s)",
    async (by) => {
      const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
        [
          "Alpha",
          cutOff("It begins, and", by, { ...DEAR, arrived: () => spendSaved(scene) }),
          says("<goto>NEXT</goto>", DEAR),
        ],
        ["Beta", says("<result>end</result>", DEAR)],
      ]);

      await scene.run([], { env: RETRIES });

      await settled(scene, `cut off by ${by}`, client);
    },
  );

  it.each([
    "per-turn",
    "conversation",
    "everything",
    "cents",
    "no-version",
    "no-is-error",
    "no-version-no-split",
  ])("is not misled by a client whose figures changed (%s)", async (meaning) => {
    const words = WORDS.slice(0, 4);
    const scene = await setScene(client, chain(words), chainTable(words, DEAR));
    const wrapper = await wrap(scene, client, meaning);

    const { exitCode, stderr } = await scene.run([], { wrapper });

    expect(exitCode).toBe(0);
    expect(scene.api.turns).toHaveLength(4);
    const booked = await settled(scene, `figures: ${meaning}`, client);
    expect(booked).toBeLessThanOrEqual(scene.api.charged * 1.1);
    if (meaning === "cents") expect(stderr).toContain("does not match its tokens");
  });

  it("books the price of a long prompt where a model has one", async () => {
    const scene = await setScene(
      client,
      { "START.md": "---\nmodel: claude-haiku-5-5\n---\nAlpha." },
      [
        ["Alpha", runs(ENDLESS, says("<result>end</result>"), { usage: { input: 400_000 } })],
        [/./, says("<result>end</result>", { usage: { input: 400_000 } })],
      ],
    );
    const running = scene.begin(UNASKED.args, { env: UNASKED.env });
    await scene.project.fileWith("started");
    await killAll(scene, running);

    await scene.resume([], { env: UNASKED.env });

    await settled(scene, "haiku-5-5 above 100k", client);
  });

  it.each(["SIGKILL", "SIGINT"] as const)(
    "books the prompt of an answer of which no byte has come (%s)",
    async (signal) => {
      const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
        ["Alpha", says("<goto>NEXT</goto>", DEAR)],
        ["Beta", { kind: "hang" }],
        [/./, says("<result>end</result>", DEAR)],
      ]);
      const running = scene.begin();
      await scene.api.arrival(({ prompt }) => prompt === "Beta.");
      const written = path.join(scene.project.home, ".claude", "projects");
      await until("the prompt to be written down", async () => {
        const files = await readdir(written, { recursive: true });
        const texts = files
          .filter((file) => file.endsWith(".jsonl"))
          .map((file) => readFile(path.join(written, file), "utf8"));
        // Not the line of the client's queue before it, which does not make the prompt a part of the conversation.
        return (await Promise.all(texts)).join("").includes(MESSAGE) ? true : undefined;
      });
      if (signal === "SIGKILL") await killAll(scene, running);
      else running.kill(signal);
      await running.exit;

      await scene.resume();

      const booked = await settled(scene, `in flight, no byte (${signal})`, client);
      // The prompt holds the conversation before it.
      expect(booked).toBeGreaterThanOrEqual(LEAST * (scene.api.charged + 300_000));
    },
  );

  it("books an answer that no save could record because the disk was full", async (test) => {
    const words = WORDS.slice(0, 4);
    let isFull = false;
    const scene = await setScene(client, chain(words), [
      ["Delta.", () => fillDisk(says("<result>end</result>", DEAR))],
      ...chainTable(words, { ...DEAR, pieces: 1, pauseMs: 0, delayMs: 0 }),
    ]);
    const small = path.join(scene.project.dir, ".raymond");
    const fillDisk = (answer: Answer): Answer => {
      if (!isFull) spawnSync("sh", ["-c", "head -c 20000000 /dev/zero > filler"], { cwd: small });
      isFull = true;
      return answer;
    };
    await mkdir(small);
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", small]);
    if (status !== 0) return test.skip("no small disk can be mounted here");
    onTestFinished(() => void spawnSync("umount", [small]));

    const broken = await scene.run();
    await rm(path.join(small, "filler"));
    const { exitCode } = await scene.resume();

    expect(broken.stderr).toContain("the disk is full (ENOSPC)");
    expect(exitCode).toBe(0);
    await settled(scene, "full disk", client);
  });

  it("books what it saw of an answer when all is killed in the middle of it", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", stalls("It begins, and then", DEAR), says("<result>end</result>", DEAR)],
      [/./, says("<result>end</result>", DEAR)],
    ]);
    const running = scene.begin();
    await spendSaved(scene);
    await killAll(scene, running);

    await scene.resume();

    const booked = await settled(scene, "killed in mid-stream", client);
    expect(booked).toBeGreaterThanOrEqual(LEAST * (scene.api.charged + 300_000));
  });
});

/** Resolves when the state file holds what the client has reported of an answer in flight. */
function spendSaved(scene: Scene): Promise<true> {
  return until("the spend of a step in flight to be saved", async () =>
    JSON.stringify((await scene.document().catch(() => null))?.agents ?? []).includes('"spend"')
      ? true
      : undefined,
  );
}

/** Prompts that follow each other in one conversation. */
function chain(words: readonly string[] = WORDS): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word, n) => [n === 0 ? "START.md" : `${word.toUpperCase()}.md`, `${word}.`]),
  );
}

function chainTable(words: readonly string[] = WORDS, manner: object = {}): AnswerTable {
  const slow = { pieces: 4, pauseMs: 60, delayMs: 100, ...manner };
  const rows = words.map((word, n) => {
    const next = words[n + 1]?.toUpperCase();
    const text = next === undefined ? "<result>end</result>" : `<goto>${next}</goto>`;
    return [new RegExp(`^${word}\\.`), says(text, slow)] as const;
  });
  const again = (turn: { readonly prompts: readonly string[] }) => {
    const last = turn.prompts.findLast((text) => words.some((word) => text === `${word}.`));
    const n = words.findIndex((word) => last === `${word}.`);
    const next = words[n + 1]?.toUpperCase();
    return says(next === undefined ? "<result>end</result>" : `<goto>${next}</goto>`, slow);
  };
  return [...rows, [/./, again]];
}

/** Kills raymond, its client and what that has started, so that no process writes anything more. */
async function killAll(
  scene: Scene,
  running: { kill(signal: "SIGKILL"): void; exit: Promise<unknown> },
) {
  running.kill("SIGKILL");
  await running.exit;
  killMarked(await scene.project.orphans());
}

/** Holds the ledger of a run against what was charged, and returns what is booked, micro-dollars. */
async function settled(scene: Scene, name: string, client: ClientVersion): Promise<number> {
  const { all } = await scene.spend();
  const { sums } = await scene.document();
  if (process.env["RAYMOND_LEDGER"] !== undefined) {
    const row = [name, client, (all / 1e6).toFixed(4), (scene.api.charged / 1e6).toFixed(4)];
    process.stdout.write(`LEDGER | ${row.join(" | ")} | ${(all / scene.api.charged).toFixed(3)}\n`);
    return all;
  }
  expect(all).toBeGreaterThanOrEqual(LEAST * scene.api.charged);
  for (const [state, { tokens, cost_usd, estimated_usd }] of Object.entries(sums.states)) {
    const free = cost_usd + estimated_usd === 0 && tokens.input + tokens.output > 0;
    expect(free, `${state} has tokens and neither a cost nor an estimate`).toBe(false);
  }
  return all;
}

/** A client between raymond and the real one, whose figures mean something else. Returns its path. */
async function wrap(scene: Scene, client: ClientVersion, meaning: string): Promise<string> {
  const file = path.join(scene.project.home, "claude-of-the-future");
  const totals = path.join(scene.project.home, "totals.json");
  await scene.project.write(
    path.relative(scene.project.dir, file),
    `#!${process.execPath}
const { spawn } = require("node:child_process");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const meaning = ${JSON.stringify(meaning)};
const totals = ${JSON.stringify(totals)};
const child = spawn(${JSON.stringify(clientPath(client))}, process.argv.slice(2), { stdio: ["inherit", "pipe", "inherit"] });
const costs = existsSync(totals) ? JSON.parse(readFileSync(totals, "utf8")) : { last: 0, sum: 0 };
const cumulative = ${String(client === "2.1.330")};
let rest = "";
child.stdout.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) process.stdout.write(change(line) + "\\n");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("close", (code) => { process.stdout.write(rest); process.exitCode = code ?? 1; });
function change(line) {
  let event;
  try { event = JSON.parse(line); } catch { return line; }
  if (event.type === "system" && meaning.startsWith("no-version")) delete event.claude_code_version;
  if (event.type === "result") {
    const call = cumulative ? event.total_cost_usd - costs.last : event.total_cost_usd;
    if (cumulative) costs.last = event.total_cost_usd;
    costs.sum += call;
    writeFileSync(totals, JSON.stringify(costs));
    if (meaning === "no-is-error") delete event.is_error;
    else if (meaning !== "no-version") delete event.model_usage_since_last_result;
    if (!meaning.startsWith("no-")) delete event.modelUsage;
    if (meaning === "per-turn") event.total_cost_usd = call;
    if (meaning === "conversation") event.total_cost_usd = costs.sum;
    if (meaning === "everything") event.total_cost_usd = 3.7 + costs.sum;
    if (meaning === "cents") event.total_cost_usd *= 100;
  }
  return JSON.stringify(event);
}
`,
  );
  await chmod(file, 0o755);
  return file;
}

/** A small generator of numbers in [0, 1), good enough to choose by. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
