import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { branchRollout, plantRollout } from "../../../src/clients/codex/rollouts/new-rollout.ts";
import { findRollout } from "../../../src/clients/codex/rollouts/rollout-place.ts";
import { rolloutStore } from "../../../src/clients/codex/rollouts/rollout-store.ts";
import { rolloutOf } from "./recorded.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

async function home(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-rollouts-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function place(folder: string, day: string, session: string, text: string): Promise<string> {
  const file = path.join(folder, "sessions", day, `rollout-2026-01-01T00-00-00-${session}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe("the place of a conversation", () => {
  it("is that of any day", async () => {
    const folder = await home();
    const file = await place(folder, "2025/12/31", "s1", "{}\n");
    await place(folder, "2026/01/01", "other-s1x", "{}\n");

    expect(await findRollout(folder, "/", "s1", NOW)).toEqual({ file, size: 3 });
  });

  it("of a new one is today's folder", async () => {
    const folder = await home();

    expect(await findRollout(folder, "/", "s1", NOW)).toEqual({
      file: path.join(folder, "sessions/2026/11/24/rollout-2026-11-24T12-00-00-s1.jsonl"),
      size: null,
    });
  });
});

describe("a new conversation", () => {
  it("has one line with its id and folder, for its owner only", async () => {
    const file = path.join(await home(), "a/b/new.jsonl");

    await plantRollout({ session: "s1", file }, { cwd: "/repo", version: "0.169.0", now: NOW });

    const [line = "", ...more] = (await readFile(file, "utf8")).split("\n");
    expect(more).toEqual([""]);
    expect(JSON.parse(line)).toMatchObject({
      type: "session_meta",
      payload: { id: "s1", cwd: "/repo", timestamp: "2026-11-24T12:00:00.000Z" },
    });
  });

  it("that is a branch has all complete lines of its source, with its own id, and not the torn one", async () => {
    const folder = await home();
    const text = 'The id is \\"id\\":\\"old\\".';
    const source = await place(
      folder,
      "2026/11/24",
      "old",
      `{"payload":{"id":"old"}}\n{"thread_id":"old","session_id":"old","text":"${text}"}\n{"id":"ol`,
    );
    const file = path.join(folder, "new.jsonl");

    await branchRollout({ session: "new", file }, { session: "old", file: source });

    expect(await readFile(file, "utf8")).toBe(
      `{"payload":{"id":"new"}}\n{"thread_id":"new","session_id":"new","text":"${text}"}\n`,
    );
  });
});

describe("a recorded conversation", () => {
  const read = async (
    text: string,
    part: { readonly from: number } | { readonly copyOf: string },
  ) => {
    const folder = await home();
    const store = rolloutStore({ CODEX_HOME: folder }, "/", () => NOW);
    const file = await place(folder, "2026/11/24", "s1", text);
    const size = Buffer.byteLength(text);
    const files = { file, size, lost: false, kept: null, copy: `${file}.copy`, source: null };
    return store.read({ session: "s1", cwd: "/", since: 0, part, model: "gpt-5.5" }, files);
  };
  const whole = rolloutOf("tool").join("\n");

  it("has the answer and the usage of a call", async () => {
    expect(await read(whole, { from: 0 })).toMatchObject({
      hasPrompt: true,
      answer: "<goto>NEXT</goto>",
      spend: { isRecalled: true, tokens: { input: 1_800, output: 100, cacheRead: 200 } },
    });
  });

  it("has no input before its prompt", async () => {
    const folder = await home();
    const store = rolloutStore({ CODEX_HOME: folder }, "/", () => NOW);
    const [meta = ""] = rolloutOf("tool");
    const hasInput = async (text: string) =>
      store.hasInput(await place(folder, "2026/11/24", "s1", text), 0);

    expect(await hasInput(`${meta}\n`)).toBe(false);
    expect(await hasInput(whole)).toBe(true);
  });

  it("has nothing of a call after its end", async () => {
    expect(await read(whole, { from: Buffer.byteLength(whole) })).toMatchObject({
      hasPrompt: false,
      answer: null,
      spend: { tokens: { input: 0, output: 0 } },
    });
  });

  it("of a branch whose source is lost is read by its times", async () => {
    expect(await read(whole, { copyOf: "gone" })).toMatchObject({ hasPrompt: true });
  });
});
