import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { findProgram, programOnPath } from "../../src/process/find-program.ts";
import { tempFolder } from "../support/folders.ts";

async function folderWith(name: string, mode: number): Promise<string> {
  const folder = await tempFolder();
  await mkdir(path.join(folder, "bin"));
  await writeFile(path.join(folder, "bin", name), "");
  await chmod(path.join(folder, "bin", name), mode);
  return folder;
}

it("finds a program in absolute and relative folders of PATH", async () => {
  const folder = await folderWith("tool", 0o755);
  const found = { kind: "found", path: path.join(folder, "bin", "tool") };

  expect(findProgram("tool", { PATH: `${folder}/bin` }, "/", "linux")).toEqual(found);
  expect(findProgram("tool", { PATH: "bin" }, folder, "linux")).toEqual(found);
  expect(programOnPath("tool", `/dev/null:${folder}/bin`)).toBe(found.path);
});

it("tries the extensions of Windows programs there", async () => {
  const folder = await folderWith("tool.cmd", 0o755);

  expect(findProgram("tool", { Path: `${folder}/bin` }, "/", "win32")).toMatchObject({
    kind: "found",
    path: path.join(folder, "bin", "tool.cmd"),
  });
});

it("reports a missing program", () => {
  expect(findProgram("no-such-tool", { PATH: "/bin" }, "/", "linux")).toEqual({
    kind: "missing",
    onPath: true,
  });
  expect(programOnPath("no-such-tool", undefined)).toBeNull();
});
