import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parsePolicy, readPolicy } from "../../../src/fleet/policy/policy-file.ts";

async function policyFile(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "policy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "worker.toml");
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

describe("the policy file", () => {
  it("limits only what it mentions", () => {
    expect(parsePolicy("worker.toml", 'permissions = "edit"\nfolders = ["/srv"]\n')).toEqual({
      folders: ["/srv"],
      repositories: null,
      permissions: "edit",
      clients: null,
      trustProject: false,
    });
  });

  it.each([
    ['permissions = "all"', /worker\.toml:1: permissions must be "read-only", "edit" or "full"/],
    ['folders = ["srv"]', /worker\.toml:1: folders must be a list of absolute paths/],
    ["\nfolder = []", /worker\.toml:2: folder is not a known key/],
    ["[worker]\nfolders = []", /worker is not a known key/],
    ["folders = [", /worker\.toml/],
  ])("refuses %j", (text, problem) => {
    expect(() => parsePolicy("worker.toml", text)).toThrow(problem);
  });

  it("may be missing", async () => {
    expect(await readPolicy("/nowhere/worker.toml", "unix")).toBeNull();
  });

  it("is refused if other users can change it", async () => {
    const file = await policyFile("");
    expect(await readPolicy(file, "unix")).not.toBeNull();
    await chmod(file, 0o664);

    await expect(readPolicy(file, "unix")).rejects.toThrow(/can be changed by other users/);
  });

  it.runIf(process.getuid?.() === 0)("is refused if it belongs to another user", async () => {
    const file = await policyFile("");
    await chown(file, 65_534, 65_534);

    await expect(readPolicy(file, "unix")).rejects.toThrow(/belongs to another user/);
  });
});
