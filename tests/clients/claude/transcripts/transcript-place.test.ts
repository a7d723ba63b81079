import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clientHome,
  findTranscript,
  projectFolder,
} from "../../../../src/clients/claude/transcripts/transcript-place.ts";
import { tempFolder } from "../../../support/folders.ts";
import { propertyRuns } from "../../../support/property-runs.ts";

const LONG = `/tmp/${"abcdefghi_".repeat(12)}/${"ABCDEFGHI.".repeat(12)}`;

describe("projectFolder", () => {
  // Measured on 2.1.197 and 2.1.330.
  it.each([
    ["/tmp/night/Real.Dir_é", "-tmp-night-Real-Dir--"],
    ["/tmp/nfd-e\u0301x\u{1f642}y", "-tmp-nfd-e-x--y"],
    ["C:\\Users\\x", "C--Users-x"],
    ["/", "-"],
  ])("names the folder of %s as the client does", (cwd, name) => {
    expect(projectFolder(cwd)).toBe(name);
  });

  it.each([
    [`/tmp/night/w-2.1.197/${LONG.slice(5)}`, "-3stwx6"],
    [`/tmp/night/w-2.1.330/${LONG.slice(5)}`, "-5vruzb"],
  ])("cuts a long name and adds the client's hash", (cwd, end) => {
    expect(projectFolder(cwd).slice(0, 200)).toBe(cwd.replace(/[^a-z0-9]/gi, "-").slice(0, 200));
    expect(projectFolder(cwd).slice(200)).toBe(end);
  });

  it("is one plain name of bounded length, whatever the folder", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 250 }), (cwd) => {
        expect(projectFolder(cwd)).toMatch(/^[A-Za-z0-9-]{1,208}$/);
      }),
      { numRuns: propertyRuns(30) },
    );
  });
});

describe("clientHome", () => {
  it("is CLAUDE_CONFIG_DIR, even if empty, or else .claude in the user's home", () => {
    expect(clientHome({ CLAUDE_CONFIG_DIR: "/x" }, "/home/u")).toBe("/x");
    expect(clientHome({ CLAUDE_CONFIG_DIR: "" }, "/home/u")).toBe("");
    expect(clientHome({}, "/home/u")).toBe(path.join("/home/u", ".claude"));
  });
});

describe("findTranscript", () => {
  it("finds a transcript in the folder of the working directory, links resolved", async () => {
    const dir = await tempFolder();
    await mkdir(path.join(dir, "real"));
    await symlink(path.join(dir, "real"), path.join(dir, "link"));
    const own = path.join(dir, "home", "projects", projectFolder(path.join(dir, "real")));
    await mkdir(own, { recursive: true });
    await writeFile(path.join(own, "s1.jsonl"), "12345");

    const found = await findTranscript(path.join(dir, "home"), path.join(dir, "link"), "s1");

    expect(found).toEqual({ file: path.join(own, "s1.jsonl"), size: 5 });
  });

  it("finds a transcript in the folder of another project", async () => {
    const dir = await tempFolder();
    const other = path.join(dir, "projects", "-elsewhere");
    await mkdir(other, { recursive: true });
    await writeFile(path.join(other, "s1.jsonl"), "1");

    expect(await findTranscript(dir, dir, "s1")).toEqual({
      file: path.join(other, "s1.jsonl"),
      size: 1,
    });
  });

  it("returns the expected path of a missing transcript", async () => {
    const dir = await tempFolder();

    expect(await findTranscript(path.join(dir, "home"), dir, "s1")).toEqual({
      file: path.join(dir, "home", "projects", projectFolder(dir), "s1.jsonl"),
      size: null,
    });
  });

  it("resolves a relative home against the working directory, like the client", async () => {
    const dir = await tempFolder();

    const { file } = await findTranscript("", dir, "s1");

    expect(file).toBe(path.join(dir, "projects", projectFolder(dir), "s1.jsonl"));
  });
});
