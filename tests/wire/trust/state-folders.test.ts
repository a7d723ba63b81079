import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  adoptStateFolder,
  isOwnStateFolder,
  isUnusedStateFolder,
} from "../../../src/wire/trust/state-folders.ts";
import { tempFolder } from "../../support/folders.ts";

async function created() {
  const top = await tempFolder();
  const env = { HOME: path.join(top, "home") };
  const root = path.join(top, "p", ".raymond");
  await mkdir(path.join(root, "workflows"), { recursive: true });
  await adoptStateFolder(root, env);
  return { top, env, root, isOwn: (folder = root) => isOwnStateFolder(folder, env) };
}

/** docs/trust.md, "Saved runs". */
describe("a state folder that raymond created", () => {
  it("is the user's, also after the project was moved", async () => {
    const { top, root, isOwn } = await created();
    expect(await isOwn()).toBe(true);

    await rename(path.join(top, "p"), path.join(top, "q"));
    expect(await isOwn()).toBe(false);
    expect(await isOwn(path.join(top, "q", ".raymond"))).toBe(true);
    expect(root).toContain("p");
  });

  it("is the user's after it was restored in its place", async () => {
    const { top, root, isOwn } = await created();
    await cp(root, path.join(top, "backup"), { recursive: true });
    await rm(root, { recursive: true });
    await cp(path.join(top, "backup"), root, { recursive: true });

    expect(await isOwn()).toBe(true);
  });

  it("does not make a copy, another folder in its place, or that of another user one", async () => {
    const { top, root, isOwn } = await created();
    const copy = path.join(top, "p", "sub", ".raymond");
    await cp(root, copy, { recursive: true });
    expect(await isOwn(copy)).toBe(false);
    expect(await isOwnStateFolder(root, { HOME: path.join(top, "other") })).toBe(false);

    await rm(path.join(root, "id"));
    expect(await isOwn()).toBe(false);
    await writeFile(path.join(root, "id"), `${"0".repeat(32)}\n`);
    expect(await isOwn()).toBe(false);
  });

  it("gets a random id, and keeps it in other places", async () => {
    const { top, env, root } = await created();
    const id = await readFile(path.join(root, "id"), "utf8");
    const copy = path.join(top, "copy");
    await cp(root, copy, { recursive: true });
    await adoptStateFolder(copy, env);
    expect(await readFile(path.join(copy, "id"), "utf8")).toBe(id);

    await adoptStateFolder(copy, { HOME: path.join(top, "other") });
    expect(await readFile(path.join(copy, "id"), "utf8")).not.toBe(id);
    expect(await isOwnStateFolder(root, env)).toBe(true);
  });
});

it("a state folder without runs is unused", async () => {
  const { root } = await created();
  expect(await isUnusedStateFolder(root)).toBe(true);
  await writeFile(path.join(root, "workflows", "one.json"), "{}");
  expect(await isUnusedStateFolder(root)).toBe(false);
});
