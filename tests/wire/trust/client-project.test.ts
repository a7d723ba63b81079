import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/clients/claude/agent.ts";
import { projectSettings } from "../../../src/wire/trust/client-project.ts";
import { trust } from "../../../src/wire/trust/trusted.ts";
import { tempFolder } from "../../support/folders.ts";

const SCRIPT = ".claude/my hooks/a.sh";

/** docs/trust.md, "Trusting a project". */
describe("a script of the project that a trusted command names", () => {
  it.each([
    `bash "$CLAUDE_PROJECT_DIR"/'${SCRIPT}'`,
    `bash "$CLAUDE_PROJECT_DIR/${SCRIPT}" --fast`,
    `"\${CLAUDE_PROJECT_DIR}"/.claude/"my hooks"/a.sh`,
    `bash .claude/my\\ hooks/a.sh; true`,
    `sh -c "'./${SCRIPT}'"`,
  ])("needs trust again when it changes: %s", async (command) => {
    const folder = await tempFolder();
    const caller = { env: { HOME: await tempFolder() } };
    const state = () => projectSettings(claude, folder, { switches: {} }, caller);
    await mkdir(path.join(folder, path.dirname(SCRIPT)), { recursive: true });
    await writeFile(path.join(folder, SCRIPT), "true\n");
    const hooks = { Stop: [{ hooks: [{ type: "command", command }] }] };
    await writeFile(path.join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    const { subject } = await state();
    if (subject === null) throw new Error("The hook needs no trust.");
    await trust(subject, caller);
    expect((await state()).state).toBe("trusted");

    await writeFile(path.join(folder, SCRIPT), "touch owned\n");

    expect((await state()).state).toBe("untrusted");
  });
});
