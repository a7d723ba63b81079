import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, it } from "vitest";
import type { SuiteResult } from "./suite-runner.ts";
import { launchWindowsNode, windowsPath } from "./windows-node.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
/** Wine lacks what `only-windows` is about (docs/contributing.md says what). */
const NAMES = [
  ...["process", "store", "scope", "lock", "script"],
  ...(process.platform === "win32" ? ["only-windows"] : []),
];

const ourRunner: Plugin = {
  name: "our-runner",
  setup(building) {
    building.onResolve({ filter: /^vitest$/ }, () => ({
      path: path.join(import.meta.dirname, "suite-runner.ts"),
    }));
    building.onResolve({ filter: /\/vitest\/dist\// }, () => ({ path: "vitest", external: true }));
  },
};

/** Beside each other: they mostly wait. */
const suites = NAMES.map((name) => ({ name, running: runSuite(name) }));

describe.each(suites)("on Windows, $name", async ({ running }) => {
  const results = await running;
  for (const { name: test, error } of results) {
    it(test, () => {
      if (error !== null) throw new Error(error);
    });
  }
});

/** Runs `suites/<name>.ts` on Node for Windows. */
async function runSuite(name: string): Promise<readonly SuiteResult[]> {
  // Inside the project, so that packages are found.
  const folder = mkdtempSync(path.join(ROOT, "node_modules", ".raymond-suite-"));
  try {
    const bundle = path.join(folder, "suite.mjs");
    await build({
      entryPoints: [path.join(import.meta.dirname, "suites", `${name}.ts`)],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      plugins: [ourRunner],
    });
    const file = path.join(folder, "results.json");
    const { program, dispose } = launchWindowsNode([windowsPath(bundle), windowsPath(file)], {
      cwd: folder,
    });
    const ended = await program.exit.finally(dispose);
    if (ended.exitCode !== 0) throw new Error(`The suite broke off: ${ended.stderr}`);
    const results = JSON.parse(readFileSync(file, "utf8")) as readonly SuiteResult[];
    if (results.length === 0) throw new Error("The suite has no test");
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
