import { scriptCommand } from "../../executors/script-command.ts";
import type { SyntaxCheck } from "../../ports/syntax.ts";
import { shellSyntax } from "../../process/shell-syntax.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "./system.ts";

/** Who parses shell scripts here; null where they are not run. */
export async function systemSyntax(caller: Pick<Caller, "system">): Promise<SyntaxCheck | null> {
  if (systemPlatform() === "windows") return null;
  const { command } = scriptCommand("", "unix");
  return shellSyntax(command, (await caller.system()).processes.start);
}
