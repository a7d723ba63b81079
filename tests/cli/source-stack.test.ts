import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sourceStack } from "../../src/cli/source-stack.ts";

describe("the stack of a bug", () => {
  let dir = "";

  beforeEach(async () => {
    dir = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-stack-")));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  it("names the source where the bundle has a source map", async () => {
    const stack = await stackOf({ sourcemap: "linked" });

    expect(stack).toContain(".js:1:");
    expect(sourceStack(stack)).toMatch(/at (?:\w+ )?\(?src\/deep\.ts:3:9\)?/);
    expect(sourceStack(stack)).not.toContain("bundle.js");
  });

  it("stays as it is where there is no source map, or one that is none", async () => {
    const stack = await stackOf({ sourcemap: false });
    expect(sourceStack(stack)).toBe(stack);

    await writeFile(path.join(dir, "dist", "bundle.js.map"), "{");
    expect(sourceStack(stack)).toBe(stack);
  });

  /** The stack of an error that a bundle throws, made as ours is. */
  async function stackOf(options: { readonly sourcemap: "linked" | false }): Promise<string> {
    await mkdir(path.join(dir, "src"));
    const source = 'export function deep(): string {\n  // why\n  throw new Error("deep");\n}\n';
    await writeFile(path.join(dir, "src", "deep.ts"), source);
    await writeFile(
      path.join(dir, "src", "main.ts"),
      'import { deep } from "./deep.ts";\nexport const stack = () => { try { return deep(); } catch (e) { return (e as Error).stack; } };\n',
    );
    const outfile = path.join(dir, "dist", "bundle.js");
    await build({
      entryPoints: [path.join(dir, "src", "main.ts")],
      outfile,
      bundle: true,
      format: "esm",
      minifyWhitespace: true,
      ...options,
    });
    // Not imported by Vitest, which would map it itself.
    const script = `import { stack } from ${JSON.stringify(pathToFileURL(outfile).href)}; process.stdout.write(stack());`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      script,
    ]);
    return stdout;
  }
});
