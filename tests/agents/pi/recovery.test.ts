import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { copyConversation } from "../../../src/clients/common/conversations/carry-conversation.ts";
import { incrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import { sessionStore } from "../../../src/clients/pi/sessions/session-store.ts";
import type { Invocation } from "../../../src/engine/ports/backend.ts";
import { TOKEN_VARIABLE } from "../../../src/engine/ports/process.ts";
import type { Session } from "../../../src/machine/model/agent.ts";
import type { SpendReport } from "../../../src/machine/model/spend.ts";
import { charge } from "../../../src/machine/spend/ledger.ts";
import { witness } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";
import { type Answer, answers, says, stalls, uses } from "../../support/client/messages-answer.ts";
import { killMarked, markedProcesses } from "../../support/process/leaks.ts";
import { until } from "../../support/until.ts";
import { NO_RETRY, type PiScene, scene } from "./scene.ts";

const PRICED = { usage: { input: 100_000, output: 2_000 } } as const;
const endless = (then: Answer) =>
  uses("bash", { command: "echo started > started; tail -f /dev/null" }, then, PRICED);
const fresh = (id: string): Session => ({ mode: "fresh", id });
const resume = (id: string): Session => ({ mode: "resume", id });

describe("a conversation of pi after kill -9", () => {
  it("contains the prompt of a request without an answer, and its estimated cost", async () => {
    const made = await scene(() => ({ kind: "hang" }), NO_RETRY);
    const id = crypto.randomUUID();

    await killedAt(made, { session: fresh(id), prompt: "x".repeat(4_000) }, () =>
      made.api.arrival(() => true),
    );

    expect(await recall(made, id)).toMatchObject({
      hasPrompt: true,
      answer: null,
      lost: false,
      spend: { costMicroUsd: null, tokens: { input: 1_000 } },
    });
  });

  it("contains no part of an answer in progress", async () => {
    const made = await scene(() => stalls("I begin"));
    const id = crypto.randomUUID();

    await killedAt(made, { session: fresh(id) }, () => made.api.arrival(() => true));

    expect(await recall(made, id)).toMatchObject({ hasPrompt: true, answer: null });
  });

  it("contains the cost of the answers before a tool, and is continued", async () => {
    const made = await scene(
      answers([
        ["Continue", says("done", PRICED)],
        [/./, endless(says("never"))],
      ]),
    );
    const id = crypto.randomUUID();

    await killedAt(made, { session: fresh(id), level: "full" }, () =>
      made.project.fileWith("started"),
    );

    const found = await recall(made, id);
    expect(found).toMatchObject({ hasPrompt: true, answer: null });
    expect(found?.spend.costMicroUsd).toBe(made.api.charged);
    const reply = await made.ask({ session: resume(id), prompt: "Continue" });
    expect(reply).toMatchObject({ kind: "reply", text: "done" });
    expect(made.api.turns.at(-1)?.prompts).toEqual(["Plan it.", "Continue"]);
  });

  it("contains the complete answer of a call that ended", async () => {
    const made = await scene(() => says("All done. <result>x</result>", PRICED));
    const id = crypto.randomUUID();

    await made.ask({ session: fresh(id) });

    const found = await recall(made, id);
    expect(found).toMatchObject({ hasPrompt: true, answer: "All done. <result>x</result>" });
    expect(found?.spend).toMatchObject({ costMicroUsd: made.api.charged, isRecalled: true });
  });

  it("contains only its own part after a branch", async () => {
    const made = await scene(
      answers([
        ["Branch", says("two", PRICED)],
        [/./, says("one", PRICED)],
      ]),
    );
    const [source, id] = [crypto.randomUUID(), crypto.randomUUID()];
    await made.ask({ session: fresh(source) });

    await made.ask({ session: { mode: "branch", source, id }, prompt: "Branch" });

    const part = { copyOf: source };
    const found = await made.backend.recover({
      session: id,
      cwd: made.project.dir,
      since: 0,
      part,
    });
    expect(found).toMatchObject({ hasPrompt: true, answer: "two" });
    expect(found?.spend.costMicroUsd).toBe(made.api.charged / 2);
  });

  it("is restored from the run's copy", async () => {
    const made = await scene(says2);
    const id = crypto.randomUUID();
    await made.ask({ session: fresh(id), prompt: "One" });
    const copy = path.join(made.project.home, "copies", `${id}.jsonl`);
    await until("the copy", () => Promise.resolve(existsSync(copy) ? true : undefined));
    await rm(path.join(made.project.home, ".pi", "agent", "sessions"), { recursive: true });

    const reply = await made.ask({ session: resume(id), prompt: "Two" });

    expect(reply.kind).toBe("reply");
    expect(made.api.turns.at(-1)?.prompts).toEqual(["One", "Two"]);
  });

  it("continues from its first part in a rerun", async () => {
    const made = await scene(says2);
    const { home, dir, env } = made.project;
    const [id, as] = [crypto.randomUUID(), crypto.randomUUID()];
    const first = await made.ask({ session: fresh(id), prompt: "One" });
    await made.ask({ session: resume(id), prompt: "Two" });

    const copied = await copyConversation(
      { session: id, length: first.stretch?.to ?? null, as, cwd: dir },
      {
        store: sessionStore(env, home),
        from: path.join(home, "copies"),
        to: path.join(home, "rerun"),
        files: incrementalCopies,
        mask: null,
      },
    );
    await made.ask({ session: resume(as), prompt: "Three" });

    expect(copied).toBe(true);
    expect(made.api.turns.at(-1)?.prompts).toEqual(["One", "Three"]);
  });
});

describe("the ledger of pi", () => {
  it("equals the bill of the API over branches, tools and kills", async () => {
    const made = await scene(
      answers([
        ["Endless", endless(says("never"))],
        ["Tool", uses("bash", { command: "true" }, says("tool", PRICED), PRICED)],
        [
          /./,
          says("text", { usage: { input: 1_000, output: 77, cacheRead: 5_000, cacheWrite: 900 } }),
        ],
      ]),
    );
    const [id, branch] = [crypto.randomUUID(), crypto.randomUUID()];
    const spends: SpendReport[] = [];
    const ask = async (changes: Partial<Invocation>) => {
      const { spend, kind } = await made.ask({ level: "full", ...changes });
      expect(kind).toBe("reply");
      spends.push(spend);
    };

    await ask({ session: fresh(id), prompt: "One" });
    await ask({ session: resume(id), prompt: "Tool" });
    await ask({ session: { mode: "branch", source: id, id: branch }, prompt: "Two" });
    const from = { session: resume(branch), prompt: "Endless", level: "full" } as const;
    const before = (await made.store.find(branch, made.project.dir)).size ?? 0;
    await killedAt(made, from, () => made.project.fileWith("started"));
    const found = await made.backend.recover({
      ...{ session: branch, cwd: made.project.dir, since: 0 },
      part: { from: before },
    });
    if (found !== null) spends.push(found.spend);
    await ask({ session: resume(branch), prompt: "Three" });

    const charges = spends.map((spend) => charge(spend, 0, {}));
    expect(charges.map(({ estimatedMicroUsd, misread }) => [estimatedMicroUsd, misread])).toEqual(
      spends.map(() => [0, false]),
    );
    const sum = charges.reduce((total, { costMicroUsd }) => total + costMicroUsd, 0);
    expect(Math.abs(sum - made.api.charged)).toBeLessThanOrEqual(spends.length);
  });
});

const says2 = () => says("ok");

/** Calls the backend, and kills pi and its tools once `when` resolves. */
async function killedAt(
  { backend, call }: PiScene,
  changes: Partial<Invocation>,
  when: () => Promise<unknown>,
): Promise<void> {
  const { listener, recorder, until } = witness();
  const asked = call(changes);
  const reply = backend.invoke(asked, cancellation(), listener, recorder);
  await until("accepted");
  await when();
  killMarked(await markedProcesses(TOKEN_VARIABLE, asked.token));
  expect(await reply).toMatchObject({ kind: "failure", class: "crash" });
}

function recall({ backend, project }: PiScene, session: string) {
  return backend.recover({ session, cwd: project.dir, since: 0, part: { from: 0 } });
}
