import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../core/error-code.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { orDiskError } from "../stores/errors.ts";
import type { Caller } from "./caller.ts";
import { SkillChangedError } from "./scaffold-errors.ts";

/** The skill as it stands in a project now. */
export interface InitializedSkill {
  /** Absolute. */
  readonly file: string;
  readonly outcome: "written" | "renewed" | "there already";
}

/** Where Claude Code finds the skill of a project. */
const PLACE = path.join(".claude", "skills", "raymond", "SKILL.md");

/**
 * Puts the skill that ships, the text of `source`, where Claude Code finds it in
 * the current folder. One that an earlier raymond has written is renewed. Rejects
 * with a SkillChangedError rather than write over what somebody has changed.
 */
export async function initSkill(
  source: string,
  { cwd }: Pick<Caller, "cwd">,
): Promise<InitializedSkill> {
  const file = path.join(cwd, PLACE);
  const text = sealed(await readFile(source, "utf8"));
  return orDiskError("write", file, async () => {
    const there = await readTextFile(file, LIMITS.source).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (there === text) return { file, outcome: "there already" };
    if (there !== null && !isSealed(there)) throw new SkillChangedError(file);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
    return { file, outcome: there === null ? "written" : "renewed" };
  });
}

const SEAL =
  /\n<!-- written by raymond init --skill, and renewed by it while unchanged: (\w+) -->\n$/;

/** With the hash of the text at its end, which tells later whether somebody has changed it. */
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
