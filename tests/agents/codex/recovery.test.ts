import { spawn } from "node:child_process";
import { truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codexArgs } from "../../../src/clients/codex/args.ts";
import { profileOf } from "../../../src/clients/codex/permission-profile.ts";
import { plantRollout } from "../../../src/clients/codex/rollouts/new-rollout.ts";
import { copyConversation } from "../../../src/clients/common/conversations/carry-conversation.ts";
import { incrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import { TOKEN_VARIABLE } from "../../../src/engine/ports/process.ts";
import { endMarked, killMarked, markedProcesses } from "../../support/process/leaks.ts";
import { until } from "../../support/until.ts";
import { type Answer, type Request, runs, says } from "./responses-api.ts";
import { bill, type CodexScene, codexScene, listed } from "./scene.ts";

const fresh = () => ({ mode: "fresh", id: crypto.randomUUID() }) as const;

/** A client that no raymond process waits for, as after kill -9 of raymond. */
interface Orphan {
  readonly session: string;
  readonly token: string;
  readonly since: number;
  /** Ends the client at once, as a power failure does. */
  kill(): Promise<void>;
  readonly ended: Promise<void>;
}

async function orphan(scene: CodexScene): Promise<Orphan> {
  const session = crypto.randomUUID();
  const token = `test.${crypto.randomUUID()}`;
  const { cwd, ...call } = scene.call({ level: "full" });
  const since = Date.now();
  const { file } = await scene.store.find(session, cwd);
  await plantRollout({ session, file }, { cwd, version: "0.169.0", now: since });
  const profile = profileOf({ ...call, cwd }, scene.project.home);
  if (profile.kind === "impossible") throw new Error(profile.problem);
  const child = spawn(scene.command, codexArgs(call, session, profile, []), {
    ...{ cwd, env: { ...scene.env, [TOKEN_VARIABLE]: token } },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end("Plan it.");
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      resolve();
    });
  });
  const kill = async () => {
    killMarked(await markedProcesses(TOKEN_VARIABLE, token));
    await ended;
    await endMarked(TOKEN_VARIABLE, token);
  };
  return { session, token, since, kill, ended };
}

/** As after the resume of the run. */
function recall(scene: CodexScene, { session, since }: Orphan) {
  const cwd = scene.project.dir;
  return scene.backend.recover({ session, cwd, since, part: { from: 0 }, model: "gpt-5.5" });
}

/** Resolves when the conversation contains a text. */
function stored(scene: CodexScene, { session }: Orphan, text: string): Promise<true> {
  return until(`${text} to be stored`, async () =>
    (await scene.rollout(session)).includes(text) ? (true as const) : undefined,
  );
}

const DONE = says("<goto>NEXT</goto>");
const twice = ({ results }: Request): Answer => (results.length === 0 ? runs("echo hi") : DONE);
const endless = ({ results }: Request): Answer =>
  results.length === 0 ? runs("tail -f /dev/null") : DONE;

describe("a client that was killed with raymond", () => {
  it("before it stored the prompt: there is no prompt to continue", async () => {
    const scene = await codexScene(() => DONE);
    const left = await orphan(scene);
    await left.kill();

    expect(await recall(scene, left)).toMatchObject({ hasPrompt: false, answer: null });
    await scene.close();
  });

  it("while the model was silent: the prompt is there, and the request has an estimated cost", async () => {
    const scene = await codexScene(() => ({ kind: "hangs" }));
    const left = await orphan(scene);
    await scene.api.until(1);
    await left.kill();

    const found = await recall(scene, left);

    expect(found).toMatchObject({ hasPrompt: true, answer: null });
    expect(found && listed(found.spend)).toBeGreaterThan(0);
    await scene.close();
  });

  it("while a tool was running: the answer before it is paid for, and no process is left", async () => {
    const scene = await codexScene(endless);
    const left = await orphan(scene);
    await stored(scene, left, "token_usage_record");
    await left.kill();

    const found = await recall(scene, left);

    expect(found).toMatchObject({ hasPrompt: true, answer: null });
    expect(found && listed(found.spend)).toBeCloseTo(bill(scene.api.billed), 6);
    expect(await markedProcesses(TOKEN_VARIABLE, left.token)).toEqual([]);
    await scene.close();
  });

  it("during its final message: the message is not an answer", async () => {
    const scene = await codexScene(() => ({ kind: "unfinished", text: "<goto>NEXT</goto>" }));
    const left = await orphan(scene);
    await stored(scene, left, "<goto>NEXT</goto>");
    await left.kill();

    expect(await recall(scene, left)).toMatchObject({ hasPrompt: true, answer: null });
    await scene.close();
  });

  it("but had finished: its answer and its whole usage are recovered", async () => {
    const scene = await codexScene(twice);
    const left = await orphan(scene);
    await left.ended;

    const found = await recall(scene, left);

    expect(found).toMatchObject({ hasPrompt: true, lost: false, answer: "<goto>NEXT</goto>" });
    expect(found && listed(found.spend)).toBeCloseTo(bill(scene.api.billed), 6);
    await scene.close();
  });

  it("continues in its conversation, and the ledger is the bill", async () => {
    let isDown = true;
    const scene = await codexScene((request) => (isDown ? endless(request) : DONE));
    const left = await orphan(scene);
    await stored(scene, left, "token_usage_record");
    await left.kill();
    const found = await recall(scene, left);
    isDown = false;

    const reply = await scene.ask({ mode: "resume", id: left.session }, { prompt: "Continue." });

    expect(reply).toMatchObject({ kind: "reply", text: "<goto>NEXT</goto>" });
    expect(scene.api.requests.at(-1)?.prompts).toEqual(["Plan it.", "Continue."]);
    const sum = (found === null ? 0 : listed(found.spend)) + listed(reply.spend);
    expect(sum).toBeCloseTo(bill(scene.api.billed), 6);
    await scene.close();
  });

  it.each([1, 40, 4_000])("continues although the last %i bytes are lost", async (lost) => {
    const scene = await codexScene(twice);
    const left = await orphan(scene);
    await left.ended;
    const { file, size } = await scene.store.find(left.session, scene.project.dir);
    await truncate(file, (size ?? 0) - lost);

    const reply = await scene.ask({ mode: "resume", id: left.session }, { prompt: "Continue." });

    expect(reply).toMatchObject({
      kind: "reply",
      text: "<goto>NEXT</goto>",
      session: left.session,
    });
    expect(await scene.backend.recover({ ...left, cwd: scene.project.dir })).toMatchObject({
      hasPrompt: true,
    });
    await scene.close();
  });
});

describe("a branch that was interrupted", () => {
  it("has the usage of its own answers", async () => {
    const scene = await codexScene(twice);
    const source = fresh();
    await scene.ask(source);
    const paid = bill(scene.api.billed);
    const id = crypto.randomUUID();
    const since = Date.now();
    await scene.ask({ mode: "branch", source: source.id, id });

    const part = { copyOf: source.id };
    const found = await scene.backend.recover({ session: id, cwd: scene.project.dir, since, part });

    expect(found).toMatchObject({ hasPrompt: true, answer: "<goto>NEXT</goto>" });
    expect(found && listed(found.spend)).toBeCloseTo(bill(scene.api.billed) - paid, 6);
    await scene.close();
  });
});

describe("copies of a conversation", () => {
  it("restore it after the client has lost it", async () => {
    const scene = await codexScene(() => DONE);
    const session = fresh();
    await scene.ask(session);
    const before = await scene.rollout(session.id);
    const { file } = await scene.store.find(session.id, scene.project.dir);
    await until("the copy", async () => {
      const kept = await scene.backend.recover({
        session: session.id,
        cwd: scene.project.dir,
        since: 0,
      });
      return kept?.hasPrompt === true ? true : undefined;
    });
    await writeFile(file, "");

    const reply = await scene.ask({ mode: "resume", id: session.id }, { prompt: "Continue." });

    expect(reply).toMatchObject({ kind: "reply" });
    expect((await scene.rollout(session.id)).startsWith(before)).toBe(true);
    expect(scene.api.requests.at(-1)?.prompts).toEqual(["Plan it.", "Continue."]);
    await scene.close();
  });

  it("of the first part continue in another folder of the client, as a rerun does", async () => {
    const scene = await codexScene(() => DONE);
    const session = fresh();
    const first = await scene.ask(session, { prompt: "First." });
    await scene.ask({ mode: "resume", id: session.id }, { prompt: "Second." });
    const as = crypto.randomUUID();
    const carried = await copyConversation(
      { session: session.id, length: first.stretch?.to ?? null, as, cwd: scene.project.dir },
      {
        ...{ store: scene.store, files: incrementalCopies, mask: null },
        ...{
          from: path.join(scene.project.home, "copies"),
          to: path.join(scene.project.home, "to"),
        },
      },
    );

    const reply = await scene.ask({ mode: "resume", id: as }, { prompt: "Third." });

    expect(carried).toBe(true);
    expect(reply).toMatchObject({ kind: "reply", session: as });
    expect(scene.api.requests.at(-1)?.prompts).toEqual(["First.", "Third."]);
    expect(reply.spend.tokens).toMatchObject({ input: 900, cacheRead: 100, output: 50 });
    await scene.close();
  });
});
