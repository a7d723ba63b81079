import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codexArgs } from "../../../src/clients/codex/args.ts";
import { profileOf } from "../../../src/clients/codex/permission-profile.ts";
import { accessArgs } from "../../../src/clients/codex/project-access.ts";
import type { Invocation } from "../../../src/engine/ports/backend.ts";
import { invocation } from "../../contracts/backend.ts";
import { tempFolder } from "../../support/folders.ts";

function args(changes: Partial<Invocation>): readonly string[] {
  const call = invocation({ cwd: "/repo", ...changes });
  const profile = profileOf(call, "/home/user");
  if (profile.kind === "impossible") throw new Error(profile.problem);
  return codexArgs(call, "s1", profile, []);
}

/** The permission profile of a call, as it is passed. */
function profile(changes: Partial<Invocation>): string | undefined {
  return args(changes).find((arg) => arg.startsWith("permissions."));
}

describe("the arguments of a call", () => {
  it("resume a session and read the prompt from standard input", () => {
    expect(args({ prompt: "secret" }).slice(-3)).toEqual(["resume", "s1", "-"]);
    expect(args({ prompt: "secret" }).join(" ")).not.toContain("secret");
  });

  it.each([
    ["low", "gpt-5.5", "low"],
    ["max", "gpt-5.5", "xhigh"],
    ["max", "gpt-5", "xhigh"],
    ["max", "gpt-5.6-sol", "max"],
    ["max", "gpt-6-astra", "max"],
    ["max", null, "max"],
  ] as const)("map the effort %s of %s to %s", (effort, model, level) => {
    expect(args({ effort, model })).toContain(`model_reasoning_effort="${level}"`);
  });

  it("name a model that starts with a hyphen as one argument", () => {
    expect(args({ model: "--help" })).toContain("--model=--help");
  });

  it("mark trusted folders as untrusted and disable skills, quoted as TOML", async () => {
    const home = await tempFolder();
    await writeFile(
      path.join(home, "config.toml"),
      '[projects.\'/a "b"\\c\']\ntrust_level = "trusted"\n',
    );
    const files = ["/p/.agents/skills/a/SKILL.md", "/p/.codex/config.toml"];

    expect(await accessArgs({ kind: "ignore", files, warning: null }, home, "/p")).toEqual([
      "-c",
      'projects={"/a \\"b\\"\\\\c"={trust_level="untrusted"}}',
      "-c",
      'skills.config=[{path="/p/.agents/skills/a/SKILL.md",enabled=false}]',
    ]);
    expect(await accessArgs({ kind: "load" }, home, "/p")).toEqual([]);
  });
});

describe("the permissions of a call", () => {
  it.each<[string, Partial<Invocation>, string]>([
    ["read-only", { level: "read-only" }, '{":root"="read"}'],
    ["edit", {}, '{":root"="read","/repo"="write",":slash_tmp"="write",":tmpdir"="write"}'],
    [
      "edit with protected paths",
      { deniedPaths: ["/repo/wf"] },
      '{":root"="read","/repo"="write",":slash_tmp"="write",":tmpdir"="write","/repo/wf"="read"}',
    ],
    [
      "edit in a sandbox",
      { sandbox: { writable: ["/repo/dist"], network: true } },
      '{":root"="read","/repo/dist"="write"}',
    ],
    [
      "full with something denied",
      { level: "full", deny: [{ kind: "read", value: "~/.ssh" }] },
      '{":root"="write","/home/user/.ssh"="deny"}',
    ],
    [
      "allowed below something denied",
      {
        level: "read-only",
        allow: [
          { kind: "write", value: "/repo/src/gen" },
          { kind: "write", value: "/repo/docs/**" },
        ],
        deny: [{ kind: "write", value: "/repo/src" }],
      },
      '{":root"="read","/repo/docs"="write","/repo/src"="read"}',
    ],
    [
      "allowed outside of the sandbox",
      {
        sandbox: { writable: ["/repo"], network: false },
        allow: [{ kind: "write", value: "/other" }],
      },
      '{":root"="read","/repo"="write"}',
    ],
    [
      "the working folder below something denied",
      { deny: [{ kind: "write", value: "/" }] },
      '{":root"="read",":slash_tmp"="write",":tmpdir"="write","/"="read"}',
    ],
  ])("%s", (_, changes, filesystem) => {
    expect(profile(changes)).toContain(`filesystem=${filesystem},`);
  });

  it("have no network below full, nor in a sandbox without it", () => {
    const sandbox = { writable: ["/repo"], network: false };

    expect(profile({ level: "edit" })).toContain("network={enabled=false}");
    expect(args({ level: "edit" })).toContain('web_search="disabled"');
    expect(profile({ level: "full", sandbox })).toContain("network={enabled=false}");
    expect(profile({ level: "full", sandbox: { ...sandbox, network: true } })).toContain(
      "network={enabled=true}",
    );
  });

  it("are unrestricted only for full without exceptions", () => {
    expect(args({ level: "full" })).toContain("danger-full-access");
    expect(args({ level: "full", deny: [{ kind: "write", value: "/a" }] })).not.toContain(
      "danger-full-access",
    );
  });

  it("with a wildcard in a path to write are impossible", () => {
    const call = invocation({ deny: [{ kind: "write", value: "/a/*/b" }] });

    expect(profileOf(call, "/home/user")).toEqual({
      kind: "impossible",
      problem: "write(/a/*/b)",
    });
  });
});
