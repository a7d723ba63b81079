import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CodingAgent } from "../clients/common/coding-agent.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { isMissing } from "../language/basics/error-code.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { authorErrors } from "./errors.ts";

export interface InitializedSkill {
  /** Absolute. */
  readonly file: string;
  readonly outcome: "written" | "renewed" | "there already";
}

/**
 * Installs the skill in the current folder for a coding agent. Updates a copy from an earlier version
 * of raymond. Rejects with `workflow/skill-changed` for a file that the user has modified, and with
 * `workflow/no-skills` if the agent reads no skills.
 */
export async function initSkill(
  source: string,
  { title, skillFile }: Pick<CodingAgent, "title" | "skillFile">,
  { cwd }: Pick<Caller, "cwd">,
): Promise<InitializedSkill> {
  if (skillFile === null) throw authorErrors["workflow/no-skills"](title);
  const file = path.join(cwd, skillFile);
  const text = sealed(await readFile(source, "utf8"));
  return orDiskError("write", file, async () => {
    const there = await readTextFile(file, LIMITS.source).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (there === text) return { file, outcome: "there already" };
    if (there !== null && !isSealed(there)) throw authorErrors["workflow/skill-changed"](file);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
    return { file, outcome: there === null ? "written" : "renewed" };
  });
}

const SEAL =
  /\n<!-- written by raymond init --skill, and renewed by it while unchanged: (\w+) -->\n$/;

/** Ends with a hash of the text, to detect modifications. */
function sealed(text: string): string {
  return `${text}\n<!-- written by raymond init --skill, and renewed by it while unchanged: ${hashOf(text)} -->\n`;
}

function isSealed(text: string): boolean {
  const plain = text.replaceAll("\r\n", "\n");
  const found = SEAL.exec(plain);
  return found !== null && found[1] === hashOf(plain.slice(0, found.index));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
