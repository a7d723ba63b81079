import { editFile } from "../../process/edit-file.ts";
import type { Caller } from "../caller.ts";
import { wireErrors } from "../errors.ts";

/** Lets the user edit a file in VISUAL or EDITOR. Rejects with a RaymondError where neither is set, or it does not end well. */
export async function editIn({ env }: Pick<Caller, "env">, file: string): Promise<void> {
  const command = [env["VISUAL"], env["EDITOR"]].find((each) => (each ?? "").trim() !== "");
  if (command === undefined) throw wireErrors["run/no-editor"](file);
  const code = await editFile(command, file);
  if (code !== 0) throw wireErrors["run/editor-failed"](command, code);
}
