import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sourceStack } from "../../src/launch/source-stack.ts";

describe("the stack of a bug", () => {
  let dir = "";

  beforeEach(async () => {
    dir = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-stack-")));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  it("refers to the source if the bundle has a source map", async () => {
    const stack = await stackOf({ sourcemap: "linked" });

    expect(stack).toContain(`${path.join(dist(), "bundle.cjs")}:1:`);
    expect(sourceStack(stack, dist())).toMatch(/at (?:\w+ )?\(?src\/deep\.ts:3:9\)?/);
    expect(sourceStack(stack, dist())).not.toContain("bundle.cjs");
  });

  it("is unchanged without a valid source map", async () => {
    const stack = await stackOf({ sourcemap: false });
    expect(sourceStack(stack, dist())).toBe(stack);

    await writeFile(path.join(dist(), "bundle.cjs.map"), "{");
    expect(sourceStack(stack, dist())).toBe(stack);
  });

  /** The stack of an error that a bundle throws, made as ours is. */
  async function stackOf(options: { readonly sourcemap: "linked" | false }): Promise<string> {
    await mkdir(path.join(dir, "src"));
    const source = 'export function deep(): string {\n  // why\n  throw new Error("deep");\n}\n';
    await writeFile(path.join(dir, "src", "deep.ts"), source);
    await writeFile(
      path.join(dir, "src", "main.ts"),
      'import { deep } from "./deep.ts";\ntry { deep(); } catch (e) { globalThis.stackOfDeep = e.stack; }\n',
    );
    const outfile = path.join(dist(), "bundle.cjs");
    await build({
      entryPoints: [path.join(dir, "src", "main.ts")],
      outfile,
      bundle: true,
      format: "cjs",
      minifyWhitespace: true,
      ...options,
    });
    createRequire(import.meta.url)(outfile);
    const stack = (globalThis as { stackOfDeep?: string }).stackOfDeep;
    return stack ?? "";
  }

  function dist(): string {
    return path.join(dir, "dist");
  }
});
