import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { RaymondError } from "../../../../src/language/basics/errors.ts";
import { emptyDatabaseUrl } from "../../../support/fleet/postgres.ts";
import { tempProject } from "../../../support/project.ts";
import { testShell } from "../../../support/test-shell.ts";

/** The messages of a worker without a database. */
async function started(words: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const { dir } = await tempProject(files);
  const env = { PATH: "", RAYMOND_FLEET: "postgresql://u:p@127.0.0.1:1/db" };
  const shell = testShell(dir, env);
  const ended = runCommandLine(["node", "raymond", "worker", "--ttl", "1s", ...words], shell);
  const error = await ended.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return `${shell.stderr()}${error instanceof RaymondError ? error.message : ""}`;
}

describe("raymond worker", () => {
  it.each([
    [["--ttl", "0"], '--ttl cannot be "0": expected a duration from 1s to 1h.'],
    [["--ttl", "2h"], "a duration from 1s to 1h"],
    [["--poll", "0"], '--poll cannot be "0": expected a duration from 10ms to 1h.'],
    [["--poll", "100d"], "a duration from 10ms to 1h"],
    [["--pool", ""], '"" is not a valid pool name: it is empty.'],
    [["--pool", "a b"], '"a b" is not a valid pool name'],
    [["--slots", "0"], "the number of concurrent runs, 1 or more"],
  ])("refuses %j with an explanation", async (words, said) => {
    expect(await started(words)).toContain(said);
  });

  it("does not start if its state folder is not writable", async () => {
    const said = await started(["--state-dir", "here"], { "here/fleet": "a file" });

    expect(said).toMatch(/Cannot keep runs in .*here.fleet/);
    expect(said).not.toContain("Cannot reach");
  });

  it("warns if its clock differs from that of the database", async () => {
    const { dir } = await tempProject({});
    const env = { PATH: "", RAYMOND_FLEET: await emptyDatabaseUrl() };
    const shell = { ...testShell(dir, env), now: () => Date.now() + 60_000 };
    await runCommandLine(["node", "raymond", "worker"], shell).catch(() => null);

    expect(shell.stderr()).toMatch(
      /warning: The clock of this machine is [56]\d s ahead of the clock of the database\./,
    );
  });

  it("starts with a warning if there is no client", async () => {
    const said = await started(["--state-dir", "here"]);

    expect(said).toContain('warning: Cannot find "claude" on PATH.');
    expect(said).toContain("connection refused. Waiting for it.");
  });
});
