import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, scene } from "../scene.ts";

describe("a path that is no workflow", () => {
  it.each([
    ["nothing at that path", {}, "w", 7, ["No workflow found at", "/w"]],
    ["a name that is nearly right", { "w/A.md": "x" }, "w/B/..", 2, ["has no entry state"]],
    ["a folder without states", { "w/README.txt": "x" }, "w", 2, ["w", "no state"]],
    [
      "two states that could be the first",
      { "w/START.md": "x", "w/1_START.md": "x" },
      "w",
      2,
      ["more than one entry state: 1_START.md, START.md.", "Keep one of them"],
    ],
    [
      "a prompt and a script of one name",
      { "w/START.md": "x", "w/START.sh": "x" },
      "w/START",
      2,
      ["START.md and START.sh", "Add the file extension"],
    ],
    ["no first state", { "w/FOO.md": "x" }, "w", 2, ["neither 1_START nor START", "FOO.md"]],
    ["a script of another system", { "w/START.bat": "x" }, "w", 2, ["START.bat", "Windows only"]],
    ["a file of another kind", { "w/START.txt": "x" }, "w/START.txt", 2, ["START.txt", ".md"]],
    ["a mistyped file", { "w/REVIEW.md": "x" }, "w/REVEIW.md", 7, ["Did you mean", "REVIEW.md"]],
  ] as const)("is refused before a run exists: %s", async (_, files, named, exitCode, words) => {
    const { raymond, runs } = await scene(files);

    const refused = await raymond(named);

    expect(refused).toMatchObject({ exitCode, stdout: "" });
    for (const word of words) expect(refusal(refused)).toContain(word);
    expect(refusal(refused)).toMatch(/^error: .+\nhint: .+/);
    expect(await runs()).toEqual([]);
  });

  it("a state that is a link out of the folder is refused", async () => {
    const { project, raymond } = await scene({ "w/OTHER.md": "x", "secret.md": "x" });
    await symlink("../secret.md", path.join(project.dir, "w", "START.md"));

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain("is a link out of the workflow");
  });
});

describe("front matter that is wrong", () => {
  it.each([
    ["broken YAML", "foo: [\n---\n", "2:7", ["Invalid YAML"]],
    ["a wrong type", "model: [1]\n---\n", "2:8", ["model must be a string", "opus"]],
    ["a value that is none", "effort: huge\n---\n", "2:9", ['Unknown effort "huge"', "xhigh"]],
    [
      "a key twice",
      "model: a\nmodel: b\n---\n",
      "3:1",
      ['Duplicate key "model": first defined in line 2', "Keep one"],
    ],
    ["a list in place of keys", "- a\n---\n", "2:1", ["mapping"]],
    ["no end", "model: opus\n", "1:1", ["never closed", "exactly ---"]],
    ["no rules", "allowed_transitions: []\n---\n", "2:22", ["is empty"]],
    [
      "an unknown tag",
      "allowed_transitions:\n  - { tag: jump, target: A }\n---\n",
      "3:12",
      ['Unknown tag "jump"', "goto, reset"],
    ],
  ])("names file, line and column: %s", async (_, matter, place, words) => {
    const { raymond, runs, calls } = await scene({ "w/START.md": `---\n${matter}Do it.` });

    const refused = await raymond("w");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain(`START.md:${place}: `);
    for (const word of words) expect(refusal(refused)).toContain(word);
    expect(await runs()).toEqual([]);
    expect(await calls()).toEqual([]);
  });

  it.each([
    [
      "START.sh",
      "#!/bin/bash\n# raymond: on_error=FIXX\nexit 1\n",
      "2:12",
      "Correct the name, or add the state",
    ],
    ["START.md", "", "1:1", "Describe the task in the file"],
    ["START.md", "---\nmodel: opus\n---\n\n", "5:1", "Describe the task in the file"],
    [
      "START.md",
      "---\nallowed_transitions:\n  - { tag: goto, target: FIXX }\n---\nDo it.",
      "3:5",
      "Correct the rule, or add the state",
    ],
  ])(
    "is found in %s before the run, with path, line and what to do: %j",
    async (name, text, place, hint) => {
      const { project, raymond, runs } = await scene({ [`w/${name}`]: text, "w/FIX.md": "x" });

      const refused = await raymond("w");

      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(`${project.dir}/w/${name}:${place}: `);
      expect(refusal(refused)).toContain(`hint: ${hint}`);
      if (text.includes("FIXX")) expect(refusal(refused)).toContain('Did you mean "FIX.md"?');
      expect(await runs()).toEqual([]);
    },
  );

  it("is reported before the run if the first prompt is empty", async () => {
    const { raymond, runs } = await scene({ "w/START.md": "{{result}}" });

    const refused = await raymond(["w", "--input", ""]);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain("START.md:1:1: The prompt is empty.");
    expect(await runs()).toEqual([]);
  });

  it("is never executed", async () => {
    const { project, raymond } = await scene({
      "w/START.md": '---js\nrequire("node:fs").writeFileSync("owned", "")\n---\nDo it.',
    });

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toMatch(
      /START\.md:1:1: .*must be YAML.*---js.*Nothing in it was executed/,
    );
    await expect(project.read("owned")).rejects.toThrow("ENOENT");
  });

  it("is found before the run where a rule of the first state leads nowhere", async () => {
    const { raymond, runs } = await scene({
      "w/START.md": "---\nallowed_transitions:\n  - { tag: goto, target: REVEIW }\n---\nDo it.",
      "w/REVIEW.md": "x",
    });

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain('Did you mean "REVIEW.md"?');
    expect(await runs()).toEqual([]);
  });

  it("is a warning for an unknown key, with the nearest known one", async () => {
    const { raymond } = await scene({ "w/START.md": "---\nmodle: opus\n---\nDo it." }, [
      { say: "<result>ok</result>" },
    ]);

    const done = await raymond("w --quiet");

    expect(done).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(done.stderr).toMatch(/START\.md:2: .*"modle".*Did you mean model\?/);
  });

  it("is found before the run is created in a later state, too", async () => {
    const { raymond, calls, runs } = await scene(
      {
        "w/START.md": "<goto>NEXT</goto>",
        "w/NEXT.sh": 'echo "<goto>ASK</goto>"\n',
        "w/ASK.md": "---\nmodel: [1]\n---\nDo it.",
        "w/OTHER.md": "---\nmodel: [1]\n---\nUnreachable.",
      },
      [{ say: "<goto>NEXT</goto>" }],
    );

    const failed = await raymond("w");

    expect(failed).toMatchObject({ exitCode: 2, stdout: "" });
    expect(failed.stderr).toMatch(/ASK\.md:2:8: .*model must be a string/);
    expect(await calls()).toEqual([]);
    expect(await runs()).toEqual([]);
  });

  it("fails a later state without a call or a retry, and the run continues once it is fixed", async () => {
    const breakState = `printf -- '---\\nmodel: [1]\\n---\\nDo it.' >"$RAYMOND_STATE_DIR/ASK.md"`;
    const { project, raymond, calls } = await scene(
      { "w/START.sh": `${breakState}\necho "<goto>ASK</goto>"\n`, "w/ASK.md": "Do it." },
      [{ say: "<result>ok</result>" }],
    );

    const failed = await raymond("w --workflow-id one");
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toMatch(/ASK\.md:2:8: .*model must be a string/);
    expect(failed.stderr).toContain("resume with: raymond resume one");
    expect(await calls()).toEqual([]);

    await project.write("w/ASK.md", "Do it.");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });
});
