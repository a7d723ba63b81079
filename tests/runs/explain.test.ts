import path from "node:path";
import { describe, expect, it } from "vitest";
import { obeyCommandLine } from "../../src/cli/program.ts";
import { keepingShell } from "../support/shell.ts";

const SAMPLES = path.join(import.meta.dirname, "../../workflows");

describe("raymond explain", () => {
  it("says of each state what it does, with the settings that a run would have here", async () => {
    const shell = keepingShell(path.join(SAMPLES, "review-gate"), { RAYMOND_MODEL: "opus" });

    await obeyCommandLine(["node", "raymond", "explain"], shell);

    expect(shell.stdout()).toMatch(/^review-gate: Work that goes on only when the tests pass/);
    expect(shell.stdout()).toContain(
      "\nIMPLEMENT, a prompt\n  runs       The model opus answers it.\n",
    );
    expect(shell.stdout()).toMatch(/and may come to \d+ prompts and \d+ scripts\./);
  });

  it("prints JSON", async () => {
    const shell = keepingShell(SAMPLES);

    await obeyCommandLine(["node", "raymond", "explain", "tour", "--json"], shell);

    expect(JSON.parse(shell.stdout())).toMatchObject({
      ...{
        workflow: "tour",
        description: null,
        about: [/1_START/, /at most/].map(() => expect.any(String) as unknown),
      },
      states: expect.arrayContaining([
        expect.objectContaining({ state: "1_START.sh", kind: "script" }),
      ]) as unknown,
    });
  });
});
