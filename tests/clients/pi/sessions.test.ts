import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { prepareSession } from "../../../src/clients/pi/sessions/prepare-session.ts";
import { RecoveredSessionReader } from "../../../src/clients/pi/sessions/recovered-session-reader.ts";
import { agentFolder, projectFolder } from "../../../src/clients/pi/sessions/session-place.ts";
import { sessionStore } from "../../../src/clients/pi/sessions/session-store.ts";
import type { Session } from "../../../src/machine/model/agent.ts";
import { tempFolder } from "../../support/folders.ts";
import { recordedBytes } from "./recorded.ts";

const RECORDED = "77777777-1111-4111-8111-111111111111";

async function setup() {
  const home = await tempFolder();
  const cwd = path.join(home, "work");
  await mkdir(cwd);
  const store = sessionStore({}, home);
  const prepare = (session: Session) => prepareSession(session, (id) => store.find(id, cwd), 0);
  const file = path.join(home, ".pi", "agent", "sessions", projectFolder(cwd), `${RECORDED}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, recordedBytes("conversation"));
  const recall = (from: number) =>
    store.read(
      { session: RECORDED, cwd, since: 0, part: { from } },
      { file, lost: false, size: 1, kept: null, copy: "", source: null },
    );
  return { home, cwd, store, prepare, file, recall };
}

const message = (id: string, parentId: string | null, role: string, text: string, more = {}) => ({
  ...{ type: "message", id, parentId },
  message: { role, content: [{ type: "text", text }], ...more },
});
const said = (id: string, parentId: string, text: string, stopReason = "stop", total = 0.001) =>
  message(id, parentId, "assistant", text, { stopReason, usage: { input: 10, cost: { total } } });
const read = (...lines: readonly Readonly<Record<string, unknown>>[]) => {
  const reader = new RecoveredSessionReader();
  for (const line of lines) reader.line(line);
  return reader.recollection(false);
};

describe("conversations of pi", () => {
  it("start with a line that names no folder", async () => {
    const { prepare } = await setup();

    const prepared = await prepare({ mode: "fresh", id: "new" });

    const text = prepared.ok ? await readFile(prepared.file, "utf8") : "";
    expect(JSON.parse(text)).toEqual({
      ...{ type: "session", version: 3, id: "new", timestamp: "1970-01-01T00:00:00.000Z" },
    });
  });

  it("have no input before the first message of the user is complete", async () => {
    const { store, file } = await setup();
    const text = await readFile(file, "utf8");
    const end = text.indexOf("\n", text.indexOf('"role":"user"'));

    await writeFile(file, text.slice(0, end - 1));
    expect(await store.hasInput(file, 0)).toBe(false);
    await writeFile(file, text.slice(0, end + 1));
    expect(await store.hasInput(file, 0)).toBe(true);
  });

  it("are not started twice", async () => {
    const { prepare } = await setup();
    await prepare({ mode: "fresh", id: "new" });

    expect(await prepare({ mode: "fresh", id: "new" })).toMatchObject({
      failure: { class: "crash", refused: "session-in-use" },
    });
  });

  it("are copied for a branch, without a torn last line", async () => {
    const { prepare, file } = await setup();
    await writeFile(file, `${await readFile(file, "utf8")}{"type":"mess`);

    const prepared = await prepare({ mode: "branch", source: RECORDED, id: "copy" });

    const text = prepared.ok ? await readFile(prepared.file, "utf8") : "";
    const original = recordedBytes("conversation").toString();
    expect(text).toBe(original.replace(`"id":"${RECORDED}"`, '"id":"copy"'));
  });

  it.each([
    ["a missing one", "gone"],
    ["an empty one", "empty"],
    ["one that is not of pi", "other"],
  ])("are lost: %s", async (_, id) => {
    const { prepare, file } = await setup();
    await writeFile(path.join(path.dirname(file), "empty.jsonl"), "");
    await writeFile(path.join(path.dirname(file), "other.jsonl"), '{"type":"x"}\n');

    expect(await prepare({ mode: "resume", id })).toMatchObject({
      failure: { class: "lost-session" },
    });
  });

  it("are found from any folder", async () => {
    const { store, file, home } = await setup();

    expect((await store.find(RECORDED, home)).file).toBe(file);
    expect(projectFolder("/a/b c")).toBe("--a-b c--");
  });

  it("are in the folder that the environment of pi names", () => {
    expect(agentFolder({}, "/home/x")).toBe(path.join("/home/x", ".pi", "agent"));
    expect(agentFolder({ PI_CODING_AGENT_DIR: "~/p" }, "/home/x")).toBe("/home/x/p");
    expect(agentFolder({ PI_CODING_AGENT_DIR: "/p" }, "/home/x")).toBe("/p");
  });
});

describe("a call read from a conversation of pi", () => {
  it("has its answer, cost and tokens", async () => {
    const { recall } = await setup();

    const whole = await recall(0);

    expect(whole).toMatchObject({ hasPrompt: true, answer: "hello <goto>NEXT</goto>" });
    expect(whole.spend).toMatchObject({ tokens: { output: 150 }, isRecalled: true });
    expect(whole.spend.costMicroUsd).toBeGreaterThan(3750);
  });

  it("is only the part that it added", async () => {
    const { recall } = await setup();
    const text = recordedBytes("conversation").toString();
    const at = text.lastIndexOf('"role":"user"');
    const from = text.lastIndexOf("\n", at) + 1;

    expect(await recall(from)).toMatchObject({ spend: { costMicroUsd: 3750 } });
    expect(await recall(text.length)).toMatchObject({ hasPrompt: false, answer: null });
  });

  it.each([
    ["a failed answer", said("b", "a", "", "error", 0)],
    ["a pending tool", said("b", "a", "", "toolUse")],
    ["a tool result", message("b", "a", "toolResult", "out")],
  ])("has no answer after %s", (_, last) => {
    const found = read(message("a", null, "user", "hi"), last);

    expect(found).toMatchObject({ hasPrompt: true, answer: null });
  });

  it("follows the last branch of the tree, and counts the cost of all", () => {
    const found = read(
      message("a", "before", "user", "one"),
      said("b", "a", "left"),
      message("c", "a", "user", "two"),
      said("d", "c", "taken"),
      { type: "label", id: "e", parentId: "d" },
    );

    expect(found).toMatchObject({ answer: "taken", spend: { costMicroUsd: 2000 } });
  });

  it("ends for a cycle in a damaged file", () => {
    expect(read(said("a", "b", "x"), said("b", "a", "y"))).toMatchObject({ hasPrompt: false });
  });

  it("estimates a request in flight", () => {
    const found = read(message("a", null, "user", "x".repeat(400)));

    expect(found.spend).toMatchObject({ costMicroUsd: null, tokens: { input: 100 } });
  });
});
