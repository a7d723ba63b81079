import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../../../src/clients/claude/transcripts/transcript-place.ts";
import { transcriptStore } from "../../../../src/clients/claude/transcripts/transcript-store.ts";
import { ConversationCopies } from "../../../../src/clients/common/conversations/conversation-copies.ts";
import { incrementalCopies } from "../../../../src/clients/common/conversations/incremental-copy.ts";
import { withConversationCopies } from "../../../../src/clients/common/conversations/with-conversation-copies.ts";
import type { Backend, Invocation, Reply } from "../../../../src/engine/ports/backend.ts";
import type { Agent, Session } from "../../../../src/machine/model/agent.ts";
import type { CallPart } from "../../../../src/machine/model/recovered-session.ts";
import type { RunState } from "../../../../src/machine/model/run-state.ts";
import { NO_SPEND } from "../../../../src/machine/model/spend.ts";
import { invocation, witness } from "../../../contracts/backend.ts";
import { describeObserver } from "../../../contracts/observer.ts";
import { samples } from "../../../log/samples.ts";
import { agent, frame } from "../../../support/agents.ts";
import { backendFacts } from "../../../support/backend-facts.ts";
import { cancellation } from "../../../support/cancellation.ts";
import { tempFolder } from "../../../support/folders.ts";
import { noSecrets } from "../../../support/no-secrets.ts";
import { run } from "../../../support/runs.ts";

const LOST: Reply = {
  kind: "failure",
  class: "lost-session",
  message: "claude has no such conversation.",
  hint: null,
  session: null,
  spend: NO_SPEND,
  exitCode: 1,
};

/** Prompts in the client's file. A prompt that is an object is its own line. */
const lines = (...prompts: readonly string[]): string =>
  prompts
    .map((text) => `${text.startsWith("{") ? text : JSON.stringify({ type: "user", text })}\n`)
    .join("");

const AT = "2026-11-21T12:00:00.000Z";
const SAID = { type: "user", message: { role: "user", content: "two" } };

/** A client that keeps its conversations as the real one does, and the run's copies of them. */
async function setup(lostAdvice: string | null = null) {
  const dir = await tempFolder();
  const [cwd, home, folder] = [
    path.join(dir, "cwd"),
    path.join(dir, "home"),
    path.join(dir, "run"),
  ];
  await mkdir(cwd);
  const warnings: string[] = [];
  const transcript = (session: string) =>
    path.join(home, "projects", projectFolder(cwd), `${session}.jsonl`);
  /** One turn more; a client that has lost a conversation says so. */
  let meanwhile: (() => Promise<void>) | null = null;
  const speak = async ({ session, prompt }: Invocation): Promise<Reply> => {
    const id = session.id ?? "none";
    const needed = session.mode === "branch" ? session.source : id;
    const history = await readFile(transcript(needed), "utf8").catch(() => "");
    if (session.mode !== "fresh" && history === "") return LOST;
    await mkdir(path.dirname(transcript(id)), { recursive: true });
    await writeFile(transcript(id), `${history}${lines(prompt)}`);
    await meanwhile?.();
    return {
      kind: "reply",
      text: history,
      session: id,
      capped: false,
      denials: [],
      spend: NO_SPEND,
      exitCode: 0,
    };
  };
  const backend: Backend = {
    ...backendFacts(),
    invoke: speak,
    recover: () => Promise.resolve(null),
  };
  const secrets = noSecrets();
  const open = () => {
    return new ConversationCopies({
      files: incrementalCopies,
      secrets,
      store: transcriptStore({ CLAUDE_CONFIG_DIR: home }, "/nowhere"),
      folder,
      warn: (message) => warnings.push(message),
    });
  };
  const copies = open();
  const seen = witness();
  const say = (prompt: string, session: Session, over = copies): Promise<Reply> => {
    const call = invocation({ prompt, session, cwd });
    const kept = withConversationCopies(backend, over, lostAdvice);
    return kept.invoke(call, cancellation(), seen.listener, seen.recorder);
  };
  const copied = (session: string) => readFile(path.join(folder, `${session}.jsonl`), "utf8");
  const whileSpeaking = (does: typeof meanwhile) => {
    meanwhile = does;
  };
  const made = { cwd, home, folder, warnings, transcript, copies, open, seen, say, copied };
  return { ...made, whileSpeaking };
}

const fresh = (id: string): Session => ({ mode: "fresh", id });
const resume = (id: string): Session => ({ mode: "resume", id });

/** A run whose agents are these. */
const runOf = (cwd: string, ...agents: readonly Partial<Agent>[]): RunState =>
  run({ launchDir: cwd, agents: agents.map((one) => agent(one)) });

describeObserver(
  "ConversationCopies",
  async () => (await setup()).copies,
  async () => {
    const { folder, open } = await setup();
    await writeFile(folder, "a file where the folder should be");
    return open();
  },
);

describe("withConversationCopies", () => {
  it("copies the new part of a call, and all of a branch", async () => {
    const { copies, say, copied } = await setup();
    await say("one", fresh("s1"));
    await say("two", resume("s1"));
    await say("three", { mode: "branch", source: "s1", id: "s2" });
    await copies.close();

    expect(await copied("s1")).toBe(lines("one", "two"));
    expect(await copied("s2")).toBe(lines("one", "two", "three"));
  });

  it.each([
    ["continues", resume("s1")],
    ["branches", { mode: "branch", source: "s1", id: "s2" }],
  ] as const)(
    "puts back what the client has swept before a call that %s it",
    async (_, session) => {
      const { copies, say, home, transcript, seen } = await setup();
      await say("one", fresh("s1"));
      await copies.close();
      await rm(home, { recursive: true });

      const reply = await say("two", session);

      expect(reply).toMatchObject({ kind: "reply", text: lines("one") });
      expect((await stat(transcript("s1"))).mode & 0o777).toBe(0o600);
      expect(seen.calls.join("\n")).toMatch(/notice .*s1.*restored/);
    },
  );

  describe("where a conversation is deleted or cut while its step runs", () => {
    const cutDuringStep = async (left: string | null) => {
      const made = await setup();
      const { say, transcript, copies } = made;
      await say("one", fresh("s1"));
      await say("two", resume("s1"));
      await copies.close();
      made.whileSpeaking(async () => {
        const file = transcript("s1");
        await (left === null ? rm(file) : writeFile(file, left));
      });
      await say("three", resume("s1"));
      made.whileSpeaking(null);
      await copies.close();
      return made;
    };

    it.each([null, "3\n"])("keeps the previous copy, and warns (%j is left)", async (left) => {
      const { seen, copied, folder } = await cutDuringStep(left);

      expect(await copied("s1")).toBe(lines("one", "two"));
      expect(seen.calls.join("\n")).toMatch(
        /warning Conversation s1 was deleted or truncated while/,
      );
      expect(seen.calls.join("\n")).toContain(folder);
    });

    it.each<[string, Session]>([
      ["continues", resume("s1")],
      ["branches", { mode: "branch", source: "s1", id: "s2" }],
    ])("a call that %s it fails as one of a lost session, also later", async (_, session) => {
      const { open, say, transcript } = await cutDuringStep("3\n");

      const later = open();
      const reply = await say("four", session, later);

      expect(reply).toMatchObject({ class: "lost-session", session: null });
      expect(await readFile(transcript("s1"), "utf8")).toBe("3\n");
      await later.close();
    });

    it("continues in another conversation, and deletes the mark with the copy", async () => {
      const { open, say, cwd, folder } = await cutDuringStep("3\n");
      const later = open();

      expect(await say("four", fresh("s3"), later)).toMatchObject({ kind: "reply" });
      later.notify(
        { type: "run.resumed", run: "r", agents: 1, backend: "claude" },
        runOf(cwd, { session: resume("s3") }),
      );
      await later.close();

      expect(await readdir(folder)).toEqual(["s3.jsonl"]);
    });
  });

  it.each([
    [
      "stored the prompt: the step continues",
      [{ ...SAID, timestamp: new Date().toISOString() }],
      "s1",
    ],
    ["wrote nothing down: the prompt is sent again", [], null],
  ])("of a client that was interrupted before it said so, and %s", async (_, lines, session) => {
    const { cwd, copies, transcript, say, seen } = await setup();
    await say("one", fresh("s1"));
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const interrupted: Backend = {
      ...backendFacts(),
      recover: () => Promise.resolve(null),
      invoke: async () => {
        await appendFile(transcript("s1"), text);
        return { ...LOST, class: "cancelled", refused: null };
      },
    };

    const call = invocation({ prompt: "two", session: resume("s1"), cwd });
    const kept = withConversationCopies(interrupted, copies);
    const reply = await kept.invoke(call, cancellation(), seen.listener, seen.recorder);

    expect(reply).toMatchObject({ kind: "failure", class: "cancelled", session });
  });

  it("recalls a call from the client's transcript, else from the run's copy, which then is all there is", async () => {
    const { cwd, home, copies, say, transcript } = await setup();
    await say("one", fresh("s1"));
    await copies.close();
    await appendFile(transcript("s1"), `${JSON.stringify({ ...SAID, timestamp: AT })}\n`);
    const recall = (session: string) => copies.recall({ session, cwd, since: Date.parse(AT) });

    expect(await recall("s1")).toMatchObject({ hasPrompt: true, lost: false });
    expect(await recall("s2")).toBeNull();
    await rm(home, { recursive: true });
    expect(await recall("s1")).toMatchObject({ hasPrompt: false, lost: true });
  });

  describe("recovers the new part of a call, independent of clocks", () => {
    /** Long before the call began, as a clock that was set back since then has it. */
    const timestamp = "2001-01-01T00:00:00.000Z";
    const own = { ...SAID, uuid: "u9", timestamp };
    const since = Date.parse(AT);

    it("by the size of the conversation before the call", async () => {
      const { cwd, copies, say, transcript } = await setup();
      await say(JSON.stringify({ ...SAID, uuid: "u1", timestamp }), fresh("s1"));
      await copies.close();
      const { size: from } = await stat(transcript("s1"));
      const recall = (part: CallPart) => copies.recall({ session: "s1", cwd, since, part });

      expect(await recall({ from })).toMatchObject({ hasPrompt: false });
      await appendFile(transcript("s1"), `${JSON.stringify(own)}\n`);
      expect(await recall({ from })).toMatchObject({ hasPrompt: true, lost: false });
      expect(await recall({ from: 0 })).toMatchObject({ hasPrompt: true });
    });

    it("of a branch, by the lines that its source lacks", async () => {
      const { cwd, copies, say, transcript } = await setup();
      const first = JSON.stringify({ ...SAID, uuid: "u1", timestamp });
      await say(first, fresh("s1"));
      const part = { copyOf: "s1" };
      const recall = () => copies.recall({ session: "s2", cwd, since, part });
      await writeFile(transcript("s2"), `${first}\n`);

      expect(await recall()).toMatchObject({ hasPrompt: false });
      await appendFile(transcript("s2"), `${JSON.stringify(own)}\n`);
      expect(await recall()).toMatchObject({ hasPrompt: true });
    });

    it("reports that size when the client accepts the prompt", async () => {
      const { cwd, copies, say, seen } = await setup();
      await say("one", fresh("s1"));
      const sizes: (number | null | undefined)[] = [];
      const taking: Backend = {
        ...backendFacts(),
        recover: () => Promise.resolve(null),
        invoke: (_call, _cancellation, listener) => {
          listener.accepted();
          return Promise.resolve(LOST);
        },
      };
      const listener = {
        ...seen.listener,
        accepted: (bytes?: number | null) => void sizes.push(bytes),
      };
      for (const session of [resume("s1"), fresh("s2")]) {
        const call = invocation({ prompt: "two", session, cwd });
        const kept = withConversationCopies(taking, copies);
        await kept.invoke(call, cancellation(), listener, seen.recorder);
      }

      expect(sizes).toEqual([lines("one").length, null]);
    });
  });

  it("puts back the end that a transcript has lost", async () => {
    const { copies, say, transcript } = await setup();
    await say("one", fresh("s1"));
    await say("two", resume("s1"));
    await copies.close();
    await writeFile(transcript("s1"), lines("one"));

    expect(await say("three", resume("s1"))).toMatchObject({ text: lines("one", "two") });
  });

  describe("where a client was killed before it stored the prompt", () => {
    /** As both clients write them before the prompt (measured). */
    const queued = ["enqueue", "dequeue"]
      .map((operation) => {
        const line = { type: "queue-operation", operation, timestamp: AT, sessionId: "s1" };
        return `${JSON.stringify(line)}\n`;
      })
      .join("");
    const torn = `${queued}{"parentUuid":null,"type":"user","message":{"role":"user","cont`;
    const left = [
      ["nothing", ""] as const,
      ["no prompt", queued] as const,
      ["a part", torn] as const,
    ];

    it.each(left)("restores the copy over %s", async (_, text) => {
      const { copies, say, transcript } = await setup();
      await say("one", fresh("s1"));
      await copies.close();
      await writeFile(transcript("s1"), text);

      expect(await say("two", resume("s1"))).toMatchObject({ text: lines("one") });
    });

    it.each(left)("fails as one of a lost session without a copy over %s", async (_, text) => {
      const { copies, say, transcript, folder, cwd } = await setup();
      await mkdir(path.dirname(transcript("s1")), { recursive: true });
      await writeFile(transcript("s1"), text);
      copies.keep("s1", cwd);
      await copies.close();

      expect(await say("two", resume("s1"))).toMatchObject({
        class: "lost-session",
        session: null,
      });
      expect(await readdir(folder).catch(() => [])).toEqual([]);
    });

    it.each(left)("sends the whole prompt again after %s", async (_, text) => {
      const { cwd, copies, transcript, seen } = await setup();
      await mkdir(path.dirname(transcript("s1")), { recursive: true });
      const killed: Backend = {
        ...backendFacts(),
        recover: () => Promise.resolve(null),
        invoke: async () => {
          await appendFile(transcript("s1"), text);
          return { ...LOST, class: "crash", refused: null, session: "s1" };
        },
      };
      const kept = withConversationCopies(killed, copies);
      const speak = (session: Session) => {
        const call = invocation({ prompt: "one", session, cwd });
        return kept.invoke(call, cancellation(), seen.listener, seen.recorder);
      };

      expect(await speak(fresh("s1"))).toMatchObject({ class: "crash", session: null });
      const call = { session: "s1", cwd, since: 0, part: { from: 0 } } as const;
      expect(await copies.recall(call)).toMatchObject({ hasPrompt: false, lost: true });

      await writeFile(transcript("s1"), lines("one"));
      expect(await speak(resume("s1"))).toMatchObject({ session: null });
      const part = { from: lines("one").length };
      expect(await copies.recall({ ...call, part })).toMatchObject({ lost: true });
    });
  });

  it("changes nothing if the client has the whole conversation", async () => {
    const { copies, say, transcript, seen } = await setup();
    await say("one", fresh("s1"));
    await copies.close();
    const before = await stat(transcript("s1"));

    await copies.putBack("s1", "/");

    expect((await stat(transcript("s1"))).mtimeMs).toBe(before.mtimeMs);
    expect(seen.calls).toEqual([]);
  });

  it("fails if the copy is missing as well, and explains how to prevent that", async () => {
    const { copies, say, home, folder } = await setup("Keep two.");
    await say("one", fresh("s1"));
    await copies.close();
    await rm(home, { recursive: true });
    await rm(folder, { recursive: true });

    const reply = await say("two", resume("s1"));

    expect(reply).toMatchObject({ kind: "failure", class: "lost-session" });
    expect(reply.kind === "failure" && reply.message).toContain(`${folder}. Keep two.`);
  });

  it("copies and restores the files next to a transcript", async () => {
    const { copies, say, home, transcript } = await setup();
    const beside = path.join(transcript("s1").slice(0, -".jsonl".length), "subagents");
    await mkdir(beside, { recursive: true });
    await writeFile(path.join(beside, "agent-1.jsonl"), "sub\n");
    await say("one", fresh("s1"));
    await copies.close();
    await rm(home, { recursive: true });

    await say("two", resume("s1"));

    expect(await readFile(path.join(beside, "agent-1.jsonl"), "utf8")).toBe("sub\n");
  });

  it("warns once when nothing can be copied, and answers all the same", async () => {
    const { copies, say, folder, warnings } = await setup();
    await writeFile(folder, "a file stands in the way");

    const replies = [await say("one", fresh("s1")), await say("two", resume("s1"))];
    await copies.close();

    expect(replies).toMatchObject([{ kind: "reply" }, { kind: "reply", text: lines("one") }]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(folder);
  });

  it("makes no file of an id that would lead out of its folder", async () => {
    const { copies, say, folder } = await setup();
    await say("one", fresh("../s1"));
    await copies.close();

    expect(await readdir(path.dirname(folder))).not.toContain("s1.jsonl");
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });
});

describe("ConversationCopies", () => {
  it("copies on resume the rest of a process that died", async () => {
    const { cwd, copies, open, say, copied, transcript } = await setup();
    await say("one", fresh("s1"));
    await say("one", fresh("s2"));
    await copies.close();
    await appendFile(transcript("s1"), "last words\n");
    await appendFile(transcript("s2"), "of the caller\n");

    const caller = frame({ session: resume("s2") });
    const next = open();
    next.notify(samples["run.resumed"], runOf(cwd, { session: resume("s1"), stack: [caller] }));
    await next.close();

    expect(await copied("s1")).toBe(`${lines("one")}last words\n`);
    expect(await copied("s2")).toBe(`${lines("one")}of the caller\n`);
  });

  it("does not copy a truncated transcript on resume", async () => {
    const { cwd, copies, open, say, transcript } = await setup();
    await say("one", fresh("s1"));
    await say("two", resume("s1"));
    await copies.close();
    await writeFile(transcript("s1"), lines("one"));

    const next = open();
    next.notify(samples["run.resumed"], runOf(cwd, { session: resume("s1") }));
    const reply = await say("three", resume("s1"), next);
    await next.close();

    expect(reply).toMatchObject({ text: lines("one", "two") });
  });

  it("keeps few copies in a loop of resets, and those that a caller waits for among them", async () => {
    const { cwd, copies, say, folder } = await setup();
    await say("caller", fresh("caller"));
    const stack = [frame({ session: resume("caller") })];
    for (let n = 0; n < 60; n += 1) {
      const session = `s${String(n)}`;
      await say("again", fresh(session));
      copies.notify(samples["agent.moved"], runOf(cwd, { session: resume(session), stack }));
    }
    await copies.close();

    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(["caller.jsonl", "s59.jsonl"]));
    expect(names.length).toBeLessThanOrEqual(12);
  });

  it("deletes unused copies of earlier processes on resume", async () => {
    const { cwd, copies, open, say, folder } = await setup();
    for (const session of ["s1", "s2", "s3"]) await say("one", fresh(session));
    await copies.close();

    const next = open();
    const branch = { mode: "branch", source: "s2", id: null } as const;
    next.notify(samples["run.resumed"], runOf(cwd, { session: branch }));
    await next.close();

    expect(await readdir(folder)).toEqual(["s2.jsonl"]);
  });
});
