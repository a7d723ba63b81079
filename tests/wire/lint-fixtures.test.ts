import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { lint } from "../../src/author/lint.ts";
import { placeText } from "../../src/language/basics/place.ts";
import { thisProcess } from "../../src/wire/caller.ts";

const FOLDER = path.join(import.meta.dirname, "..", "fixtures", "workflows");

it.runIf(process.platform !== "win32")(
  "finds in workflows that people write what is listed, and nothing else",
  async () => {
    const entries = await readdir(FOLDER, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const reports = await Promise.all(
      names.sort().map((workflow) => lint({ workflow }, thisProcess({ cwd: FOLDER }))),
    );

    const lines = reports.flatMap(({ findings }) =>
      findings.map(({ source, at, severity, rule, message }) => {
        const place = placeText(path.relative(FOLDER, source), at);
        return `${place}: ${severity}: ${message.replaceAll(`${FOLDER}/`, "")} [${rule}]`;
      }),
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(path.join(FOLDER, "findings.txt"));
  },
);
