import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { tempFolder } from "../support/folders.ts";
import { itNeeds } from "../support/needs.ts";
import { until } from "../support/until.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const UNIX = { met: process.platform !== "win32", reason: "the step is a bash script" };

describe("npm run build", () => {
  itNeeds(
    UNIX,
    "lets a run in progress continue, and later processes use the new build",
    async () => {
      const clone = await tempFolder();
      for (const part of ["bin", "src", "scripts", "package.json", "tsconfig.json"]) {
        await cp(path.join(ROOT, part), path.join(clone, part), { recursive: true });
      }
      await symlink(path.join(ROOT, "node_modules"), path.join(clone, "node_modules"));
      const build = () =>
        promisify(execFile)(
          process.execPath,
          ["scripts/build.mjs", "--no-types", "--entry=src/cli/main.ts"],
          { cwd: clone },
        );
      await build();
      const builds = () => readdir(path.join(clone, "dist/builds"));
      const [first = ""] = await builds();
      const project = await tempFolder();
      await writeFile(
        path.join(project, "START.sh"),
        "touch started; until [ -e go ]; do sleep 0.05; done; raymond --version >version; echo '<result>done</result>'",
      );
      const program = path.join(clone, "bin/raymond.js");
      const words = [program, "START.sh", "--quiet", "--state-dir", path.join(project, "state")];
      const run = spawn(process.execPath, words, { cwd: project, stdio: "ignore" });
      const ended = once(run, "exit");
      await until("the step to start", async () =>
        (await readdir(project)).includes("started") ? true : undefined,
      );

      const manifest = path.join(clone, "package.json");
      const text = await readFile(manifest, "utf8");
      await writeFile(manifest, text.replace(/"version": "[^"]*"/, '"version": "999.0.0"'));
      await build();
      await writeFile(path.join(project, "going"), "");
      await rename(path.join(project, "going"), path.join(project, "go"));

      expect(await ended).toEqual([0, null]);
      expect(await readFile(path.join(project, "version"), "utf8")).toMatch(/^999\.0\.0\+/);
      expect(await builds()).toHaveLength(2);
      const kept = await readdir(path.join(clone, "dist/builds", first));
      expect(kept).toContain("main.cjs");
      expect(kept).toContain(".npmignore");
    },
  );
});
