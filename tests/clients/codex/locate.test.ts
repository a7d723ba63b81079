import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findCodex, TESTED_VERSION } from "../../../src/clients/codex/locate.ts";

const NATIVE = `vendor/x86_64-unknown-linux-musl/bin/codex`;

/** A folder with these executables, and a link to npm's launcher as npm makes it. */
async function installation(...programs: readonly string[]) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-codex-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const each of ["node_modules/@openai/codex/bin/codex.js", ...programs]) {
    const file = path.join(folder, each);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "{}");
    await chmod(file, 0o755);
  }
  const bin = path.join(folder, "node_modules", ".bin");
  await mkdir(bin);
  await symlink("../@openai/codex/bin/codex.js", path.join(bin, "codex"));
  const env = { PATH: bin };
  return { folder, bin, find: (named: string | null) => findCodex(named, env, folder) };
}

const isLinux = process.platform === "linux" && process.arch === "x64";

it.runIf(isLinux)("finds the native program in the package of the platform", async () => {
  const native = `node_modules/@openai/codex-linux-x64/${NATIVE}`;
  const { folder, bin, find } = await installation(
    native,
    "node_modules/@openai/codex-linux-x64/package.json",
  );

  expect(await find(null)).toBe(path.join(folder, native));
  expect(await find(path.join(bin, "codex"))).toBe(path.join(folder, native));
});

it.runIf(isLinux)("finds it in the launcher's own package", async () => {
  const native = `node_modules/@openai/codex/${NATIVE}`;
  const { folder, find } = await installation(native);

  expect(await find(null)).toBe(path.join(folder, native));
});

it("takes the launcher where there is no native program", async () => {
  const { bin, find } = await installation();

  expect(await find(null)).toBe(path.join(bin, "codex"));
});

it("takes another program as it is", async () => {
  const { folder, find } = await installation("own/codex");

  expect(await find("./own/codex")).toBe(path.join(folder, "own/codex"));
});

it("says how to install a missing client", async () => {
  const { find } = await installation();

  await expect(find("./missing")).rejects.toMatchObject({ code: "codex/not-found" });
});

it("was tested with one version", () => {
  expect(TESTED_VERSION).toBe("0.171.0");
});
