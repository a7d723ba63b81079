import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Invocation } from "../../../src/engine/ports/backend.ts";
import { runs, says } from "./responses-api.ts";
import { type CodexScene, codexScene, type SceneOptions } from "./scene.ts";

const fresh = () => ({ mode: "fresh", id: crypto.randomUUID() }) as const;

/** A scene whose model appends to files, reads `.env` and opens a connection, and which of that has worked. */
async function attempt(
  changes: (scene: CodexScene) => Partial<Invocation>,
  options: SceneOptions = {},
) {
  let probe = "";
  const scene = await codexScene(
    ({ results }) => (results.length === 0 ? runs(probe) : says("Done.")),
    {
      sandboxed: true,
      files: { ".env": "secret\n", "src/a": "", "wf/S.md": "", "../beside/b": "" },
      ...options,
    },
  );
  const { dir } = scene.project;
  await scene.project.write(".git/HEAD", "");
  const port = new URL(scene.api.url).port;
  const files = ["src/a", "wf/S.md", "new", "../beside/b", ".git/config"];
  probe = [
    `cd ${dir}`,
    ...files.map((file) => `(echo x >> ${file}) 2>/dev/null && echo wrote ${file}`),
    "(cat .env) 2>/dev/null",
    `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected`,
    "true",
  ].join("; ");
  await scene.ask(fresh(), changes(scene));
  await scene.close();
  const output = scene.api.requests.at(-1)?.results[0] ?? "";
  return (output.split("Output:\n").at(-1) ?? "").trim().split("\n");
}

describe("the sandbox of codex", () => {
  it("lets read-only change nothing", async () => {
    expect(await attempt(() => ({ level: "read-only" }))).toEqual(["secret"]);
  });

  it("lets edit change the working folder without .git, and use no network", async () => {
    const done = await attempt(() => ({ level: "edit" }));

    expect(done).toEqual(["wrote src/a", "wrote wf/S.md", "wrote new", ...beside(done), "secret"]);
  });

  it("lets full do everything", async () => {
    const all = ["src/a", "wf/S.md", "new", "../beside/b", ".git/config"];

    expect(await attempt(() => ({ level: "full" }))).toEqual([
      ...all.map((file) => `wrote ${file}`),
      "secret",
      "connected",
    ]);
  });

  it("protects denied paths and files that must not be read", async () => {
    const done = await attempt(({ project: { dir } }) => ({
      deniedPaths: [path.join(dir, "wf"), path.join(dir, "new")],
      deny: [
        { kind: "read", value: path.join(dir, ".env") },
        { kind: "write", value: path.join(dir, "src/**") },
      ],
      allow: [{ kind: "write", value: path.join(dir, "src/a") }],
    }));

    expect(done.filter((line) => !line.includes("beside"))).toEqual([]);
  });

  it("lets read-only change what is allowed", async () => {
    const allow = ({ project: { dir } }: CodexScene): Partial<Invocation> => ({
      level: "read-only",
      allow: [{ kind: "write", value: path.join(dir, "src") }],
    });

    expect(await attempt(allow)).toEqual(["wrote src/a", "secret"]);
  });

  it("restricts full to the sandbox of the step", async () => {
    const sandbox = ({ project: { dir } }: CodexScene): Partial<Invocation> => ({
      level: "full",
      sandbox: { writable: [path.join(dir, "src")], network: false },
    });

    expect(await attempt(sandbox)).toEqual(["wrote src/a", "secret"]);
  });

  it("protects denied names as far as the client can", async () => {
    const script =
      "mkdir -p .raymond; echo x > .raymond/config.toml; echo x > wf/workflow.yaml; touch wf/ok";
    const scene = await codexScene(
      ({ results }) => (results.length === 0 ? runs(script) : says("Done.")),
      { sandboxed: true, files: { "wf/S.md": "" } },
    );
    const { dir } = scene.project;

    await scene.ask(fresh(), {
      deniedNames: [
        { folder: "/", glob: "**/.raymond" },
        { folder: path.join(dir, "wf"), glob: "*.sh" },
        { folder: path.join(dir, "wf"), glob: "workflow.yaml" },
      ],
    });

    expect(existsSync(path.join(dir, "wf/ok"))).toBe(true);
    expect(existsSync(path.join(dir, "wf/workflow.yaml"))).toBe(false);
    expect(existsSync(path.join(dir, ".raymond/config.toml"))).toBe(false);
    await scene.close();
  });

  it("keeps protected files in their place", async () => {
    const script =
      "mv a .a; mkdir -p a/b/wf; echo x > a/b/wf/N.sh; mv .git .g; touch a/new; ls -A . a/b/wf";
    const scene = await codexScene(
      ({ results }) => (results.length === 0 ? runs(script) : says("Done.")),
      { sandboxed: true, files: { "a/b/wf/N.sh": "good\n", ".git/HEAD": "" } },
    );
    const { dir } = scene.project;

    await scene.ask(fresh(), { deniedPaths: [path.join(dir, "a/b/wf")] });

    expect(await scene.project.read("a/b/wf/N.sh")).toBe("good\n");
    expect(existsSync(path.join(dir, "a/new"))).toBe(true);
    expect(existsSync(path.join(dir, ".git/HEAD"))).toBe(true);
    await scene.close();
  });

  it("is not weakened by the user's own sandbox mode", async () => {
    const done = await attempt(() => ({ level: "read-only" }), {
      first: 'sandbox_mode = "danger-full-access"',
    });

    expect(done).toEqual(["secret"]);
  });
});

/** In tests the temporary folder, which commands may change, contains the project. */
function beside(done: readonly string[]): readonly string[] {
  return done.filter((line) => line === "wrote ../beside/b");
}

it("fails for a permission that it cannot enforce", async () => {
  const scene = await codexScene(() => says("Done."));

  const reply = await scene.ask(fresh(), { deny: [{ kind: "write", value: "/a/*.md" }] });

  expect(reply).toMatchObject({
    class: "deterministic",
    message: "codex cannot enforce these permissions of PLAN.md: write(/a/*.md).",
  });
  expect(scene.api.requests).toEqual([]);
  await scene.close();
});

describe("the settings of a project", () => {
  const files = {
    "AGENTS.md": "Always say BANANA.",
    ".codex/config.toml":
      'developer_instructions = "FROM THE PROJECT"\n[mcp_servers.own]\ncommand = "sh"\nargs = ["-c", "touch started; cat"]\n',
  };

  it("are ignored, but AGENTS.md is used", async () => {
    const scene = await codexScene(() => says("Done."), { files });

    await scene.ask(fresh());

    const [request] = scene.api.requests;
    expect(request?.text).toContain("BANANA");
    expect(request?.text).not.toContain("FROM THE PROJECT");
    expect(existsSync(path.join(scene.project.dir, "started"))).toBe(false);
    await scene.close();
  });

  it.each([
    ["load", true],
    ["ignore", false],
  ] as const)("of a folder that the user trusts in codex: %s", async (kind, isUsed) => {
    const access = kind === "load" ? { kind } : { kind, files: [], warning: null };
    const scene = await codexScene(() => says("Done."), { files, access, trusted: true });

    await scene.ask(fresh());

    expect(scene.api.requests[0]?.text.includes("FROM THE PROJECT")).toBe(isUsed);
    expect(existsSync(path.join(scene.project.dir, "started"))).toBe(isUsed);
    await scene.close();
  });

  it("include no rules that allow commands outside of the sandbox", async () => {
    const scene = await codexScene(
      ({ results }) => (results.length === 0 ? runs("touch made") : says("Done.")),
      { sandboxed: true, rules: 'prefix_rule(pattern=["touch"], decision="allow")\n' },
    );

    await scene.ask(fresh(), { level: "read-only" });

    expect(scene.api.requests).toHaveLength(2);
    expect(existsSync(path.join(scene.project.dir, "made"))).toBe(false);
    await scene.close();
  });
});
