import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";

const SRC = path.join(import.meta.dirname, "..", "..", "..", "src");

/** Words that belong to a single coding agent. */
const FOREIGN = /claude|anthropic|codex|openai|client.?version/i;

/** Reserved for every backend (docs/protocol.md, "Reserved attribute names"). */
const RESERVED_NAMES = /"(?:CLAUDECODE|CLAUDE_|ANTHROPIC_|CODEX_|OPENAI_)"/g;

/** The variables of every coding agent, which reach its prompts (docs/environment.md, "Base variables"). */
const VARIABLES = path.join("workflow", "policy", "base-variables.ts");

/** The default of the setting `agent`. */
const DEFAULT = path.join("basics", "default-agent.ts");

it.each(["language", "machine", "analysis", "engine"])(
  "no line of src/%s names a backend",
  async (room) => {
    const names = await readdir(path.join(SRC, room), { recursive: true });
    const named = await Promise.all(
      names
        // Ports name the backends that they are implemented by.
        .filter(
          (name) =>
            name.endsWith(".ts") &&
            !name.startsWith("ports") &&
            ![VARIABLES, DEFAULT].includes(name),
        )
        .map(async (name) => {
          const text = await readFile(path.join(SRC, room, name), "utf8");
          const lines = text.split("\n").map((line) => line.replaceAll(RESERVED_NAMES, ""));
          return lines
            .filter((line) => FOREIGN.test(line))
            .map((line) => `${name}: ${line.trim()}`);
        }),
    );

    expect(named.flat()).toEqual([]);
  },
);
