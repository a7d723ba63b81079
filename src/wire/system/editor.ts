import { editFile } from "../../process/edit-file.ts";
import type { Caller } from "../caller.ts";
import { wireErrors } from "../errors.ts";

/**
 * Opens a file in VISUAL or EDITOR. Rejects with a RaymondError if neither is set, or if the editor
 * fails.
 */
export async function editIn({ env }: Pick<Caller, "env">, file: string): Promise<void> {
  const command = [env["VISUAL"], env["EDITOR"]].find((each) => (each ?? "").trim() !== "");
  if (command === undefined) throw wireErrors["run/no-editor"](file);
  const code = await editFile(command, file);
  if (code !== 0) throw wireErrors["run/editor-failed"](command, code);
}
