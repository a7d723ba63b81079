import { mkdir, readdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { folderScope } from "../../src/scopes/folder.ts";
import { type Library, type LibraryOptions, openLibrary } from "../../src/scopes/library.ts";
import { zipOf } from "../support/disk/zips.ts";
import { tempFolder } from "../support/folders.ts";

const FILES: Readonly<Record<string, string | Buffer>> = {
  "flows/main/START.md": "Begin.",
  "flows/main/inner/START.sh": "true",
  "flows/review/START.md": "Read {{depth}}.",
  "flows/review/CHECK.sh": "true",
  "flows/review/workflow.yaml": "vars: { depth: { default: quick }, repo: { required: true } }",
  "flows/pack.zip": zipOf({ "in/1_START.sh": "echo one", "in/B.sh": "true" }),
  "flows/one.yaml": "states:\n  START:\n    sh: |\n      echo one\n",
  "flows/broken/START.md": "---\nallowed_transitions: []\n---\nx",
  "flows/other/START.bat": "",
  "flows/bare/notes.txt": "",
  "outside/START.md": "No.",
  "shared/tools/START.md": "Shared.",
};

/** The library of a run of `flows/main`, below a folder of its own. */
async function place(changes: { readonly kind?: "zip"; readonly since?: number } = {}) {
  const top = await tempFolder();
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(path.dirname(path.join(top, name)), { recursive: true });
    await writeFile(path.join(top, name), text);
  }
  const scope = folderScope(path.join(top, "flows/main"));
  const zip = path.join(top, "flows/main.zip");
  const { kind = "folder" as const } = changes;
  const started: LibraryOptions["started"] = {
    kind,
    path: kind === "zip" ? zip : scope.dir,
    scope,
  };
  const { since } = changes;
  const open = () =>
    openLibrary({
      ...(since === undefined ? {} : { detectChangesSince: since }),
      stateRoot: path.join(top, ".raymond"),
      started,
      workflowPath: [path.join(top, "shared")],
      platform: "unix",
      copies: path.join(top, "run/workflows"),
    });
  return { top, open, library: open() };
}

async function entry(library: Library, written: string, from: string | null = null) {
  const found = await library.find(from, written);
  return found.ok ? found.entry : found.fault.message;
}

describe("a path of another workflow", () => {
  it.each([
    ["../review", { workflow: "review", state: "START.md" }],
    ["../review/", { workflow: "review", state: "START.md" }],
    ["../review/CHECK", { workflow: "review", state: "CHECK.sh" }],
    ["../review/CHECK.sh", { workflow: "review", state: "CHECK.sh" }],
    ["inner", { workflow: "./inner", state: "START.sh" }],
    ["../main", { workflow: null, state: "START.md" }],
  ])("%s is relative to the folder of the workflow that names it", async (written, expected) => {
    const { library } = await place();

    expect(await entry(library, written)).toEqual(expected);
  });

  it("has the same meaning for a folder and a zip", async () => {
    const { library } = await place({ kind: "zip" });

    expect(await entry(library, "../review")).toEqual({ workflow: "review", state: "START.md" });
    const { workflow } = (await entry(library, "../pack.zip")) as { workflow: string };
    expect(await entry(library, "../review", workflow)).toMatchObject({ workflow: "review" });
  });

  it("is searched in workflow_path if it does not start with ./ or ../", async () => {
    const { top, library } = await place();
    const workflow = path.join(top, "shared/tools");

    expect(await entry(library, "tools")).toEqual({ workflow, state: "START.md" });
    expect(await entry(library, "../tools")).toContain("No workflow found at");
    expect(await entry(library, "../../shared/tools")).toEqual({ workflow, state: "START.md" });
  });

  it.each(["../../outside", "..", "../../outside/START", "../review/../../outside"])(
    "%s leads out of the library, and nothing there is read",
    async (written) => {
      const { library } = await place();

      expect(await entry(library, written)).toMatch(/resolves to .*, which is outside .*flows/);
    },
  );

  it("may be a link that stays in the library, and none that leads out", async () => {
    const { top, library } = await place();
    await symlink("review", path.join(top, "flows/alias"));
    await symlink("../outside", path.join(top, "flows/escape"));
    await symlink("../../outside/START.md", path.join(top, "flows/review/OUT.md"));

    expect(await entry(library, "../alias")).toEqual({ workflow: "alias", state: "START.md" });
    expect(await entry(library, "../escape")).toMatch(/a link to .*outside.*, which is outside/);
    expect(await entry(library, "../escape/START")).toMatch(/a link to .*, which is outside/);
    expect(await entry(library, "../review/OUT")).toMatch(/is a link out of/);
  });

  it.each([
    ["../reviw", /No workflow found at .*reviw.* Did you mean "review"/],
    ["../review/CHEK", /No workflow found .*Did you mean "CHECK.sh"/],
    ["../broken", /START\.md:2:\d+: allowed_transitions is empty/],
    ["../other", /START\.bat/],
    ["../bare", /has no states/],
    ["../pack.zip/C", /Unknown state "C"/],
    ["../pack.zip/in/B", /No workflow found/],
  ])("%s cannot be entered, with an explanation", async (written, words) => {
    const { library } = await place();

    expect(await entry(library, written)).toMatch(words);
  });

  it("has its inputs and variables", async () => {
    const { library } = await place();

    expect(await library.find(null, "../review")).toMatchObject({
      parameters: { vars: [{ name: "depth" }, { name: "repo", required: true }] },
    });
    expect(await library.vars("review")).toMatchObject([
      { name: "depth", default: "quick" },
      { name: "repo", default: null },
    ]);
  });
});

describe("a workflow in one file", () => {
  it.each([
    ["../pack.zip", /^pack\.zip@[0-9a-f]{64}$/, "1_START.sh"],
    ["../one.yaml", /^one\.yaml@[0-9a-f]{64}$/, "START.sh"],
  ])("%s is copied once, and read from the copy when it is gone", async (written, id, state) => {
    const { top, library, open } = await place();
    const finds = await Promise.all([1, 2, 3].map(() => entry(library, written)));
    const [first] = finds as readonly { readonly workflow: string }[];

    expect(finds).toEqual(
      finds.map(() => ({ workflow: expect.stringMatching(id) as string, state })),
    );
    expect(await readdir(path.join(top, "run/workflows"))).toHaveLength(1);
    await rm(path.join(top, "flows", path.basename(written)));
    const scope = open().scope(first?.workflow ?? "");
    expect(await scope.names()).toContain(state);
    expect(await scope.load(state)).toMatchObject({ kind: "script" });
    expect(await open().vars(first?.workflow ?? "")).toEqual([]);
  });

  it.each(["../pack.zip", "../one.yaml"])(
    "%s is copied again after an interrupted copy",
    async (at) => {
      const { top, library, open } = await place();
      const { workflow } = (await entry(library, at)) as { workflow: string };
      const copy = path.join(top, "run/workflows", workflow.split("@")[1] ?? "");
      const names = await library.scope(workflow).names();
      await rename(path.join(copy, "scope"), path.join(copy, "scope.partial"));

      await entry(open(), at);

      expect(await open().scope(workflow).names()).toEqual(names);
      expect(await readdir(copy)).not.toContain("scope.partial");
    },
  );

  it("is another workflow after its content has changed", async () => {
    const { top, library } = await place();
    const before = await entry(library, "../pack.zip/B");
    await writeFile(path.join(top, "flows/pack.zip"), zipOf({ "START.sh": "", "B.sh": "new" }));

    const after = await entry(library, "../pack.zip/B");

    expect(after).not.toEqual(before);
    expect(await readdir(path.join(top, "run/workflows"))).toHaveLength(2);
  });
});

it("a missing folder is reported by name, and read again once it exists", async () => {
  const { top, library } = await place();
  const scope = library.scope("review");
  expect(await scope.names()).toEqual(["CHECK.sh", "START.md"]);
  await rename(path.join(top, "flows/review"), path.join(top, "away"));

  await expect(scope.names()).rejects.toThrow(/Cannot read the workflow folder .*flows\/review/);

  await rename(path.join(top, "away"), path.join(top, "flows/review"));
  expect(await scope.names()).toEqual(["CHECK.sh", "START.md"]);
  expect(library.source("review/CHECK.sh")).toBe(path.join(top, "flows/review/CHECK.sh"));
  expect(library.source("START.md")).toBe(path.join(top, "flows/main/START.md"));
});

describe("changes during the run", () => {
  const LONG_AGO = 0;
  const NEVER = Number.MAX_SAFE_INTEGER;

  it("reports a changed or added state of the started workflow until it is accepted", async () => {
    const { top, library } = await place({ since: NEVER });
    await library.recordStates();
    expect(await library.changeOf(null, "START.md")).toBeNull();

    await writeFile(path.join(top, "flows/main/START.md"), "Obey.");
    await writeFile(path.join(top, "flows/main/NEW.sh"), "");

    expect(await library.changeOf(null, "START.md")).toBe("changed");
    expect(await library.changeOf(null, "NEW.sh")).toBe("added");
    library.acceptChange(null, "START.md");
    expect(await library.changeOf(null, "START.md")).toBeNull();
  });

  it("reports no change in a file that was rewritten with the same content", async () => {
    const { top, library } = await place({ since: NEVER });
    await library.recordStates();

    await writeFile(path.join(top, "flows/main/START.md"), "Begin.");

    expect(await library.changeOf(null, "START.md")).toBeNull();
  });

  it.each([
    ["../review", NEVER, null],
    ["../review", LONG_AGO, "added"],
    ["../pack.zip", NEVER, null],
    ["../pack.zip", LONG_AGO, "added"],
    ["../one.yaml", LONG_AGO, "added"],
  ] as const)("of %s, entered later, written since %d: %s", async (written, since, expected) => {
    const { library } = await place({ since });
    const found = await library.find(null, written);
    if (!found.ok) throw new Error(found.fault.message);
    const { workflow, state } = found.entry;

    expect(await library.changeOf(workflow, state)).toBe(expected);
  });

  it("are not detected if no run executes the states", async () => {
    const { top, library } = await place();
    await library.recordStates();

    await writeFile(path.join(top, "flows/main/START.md"), "Obey.");

    expect(await library.changeOf(null, "START.md")).toBeNull();
  });
});

describe("protected paths", () => {
  it("are the state folder and the workflows entered so far", async () => {
    const { top, library } = await place();
    await library.find(null, "../review");
    await library.find(null, "../pack.zip");

    const paths = await library.protectedPaths(top);

    const [copy = ""] = await readdir(path.join(top, "run/workflows"));
    const real = await realpath(top);
    const expected = [
      [".raymond", "flows/main", "flows/review", "flows/pack.zip"],
      [path.join("run/workflows", copy, "scope/in")],
    ].flat();
    const all = [top, real].flatMap((folder) => expected.map((each) => path.join(folder, each)));
    expect(new Set(paths)).toEqual(new Set(all));
  });

  it("are single files if the step works in the folder of the workflow", async () => {
    const { top, library } = await place();

    const paths = await library.protectedPaths(path.join(top, "flows/main/inner"));

    expect(paths).toContain(path.join(top, "flows/main/START.md"));
    expect(paths).toContain(path.join(top, "flows/main/workflow.yaml"));
    expect(paths).not.toContain(path.join(top, "flows/main"));
  });

  it("are names of state folders, and those that would be used in a folder that contains the step", async () => {
    const { top, library } = await place();
    const globs = (cwd: string) =>
      library.protectedNames(cwd).map(({ folder, glob }) => [folder, glob]);

    expect(globs(top)).toEqual([["/", "**/.raymond"]]);
    const inside = path.join(top, "flows/main");
    expect(globs(path.join(inside, "inner"))).toEqual(
      expect.arrayContaining([
        [inside, "*.sh"],
        [inside, "*.md"],
        [inside, "*.schema.json"],
        [inside, "*.test.yaml"],
        [inside, "*.sim.yaml"],
        [inside, "workflow.yaml"],
      ]),
    );
    const state = path.join(top, ".raymond", "trees", "one");
    expect(globs(state)).toContainEqual([state, "**/.raymond"]);
    expect(globs(state)).toContainEqual([path.join(top, ".raymond"), "config.toml"]);
  });

  it("include the target of a link", async () => {
    const { top, library } = await place();
    await symlink(path.join(top, "outside"), path.join(top, "flows/linked"));
    await library.find(null, "../linked");
    await mkdir(path.join(top, "real"));
    await symlink(path.join(top, "real"), path.join(top, ".raymond"));

    const paths = await library.protectedPaths(top);

    const real = await realpath(top);
    expect(paths).toContain(path.join(real, "real"));
    expect(paths).toContain(path.join(top, ".raymond"));
  });
});
