import path from "node:path";
import { fileToFolder, folderToFile, writeNew } from "../scopes/convert.ts";
import { isSingleFile } from "../scopes/single-file.ts";
import type { Caller } from "../wire/caller.ts";
import { authorErrors } from "./errors.ts";
import { withYamlSchema, yamlSchemaLine } from "./schema-place.ts";

/** What became of a workflow that was to be said in the other way. */
export type Conversion =
  | { readonly kind: "folder"; readonly path: string; readonly files: readonly string[] }
  | {
      readonly kind: "file";
      /** Null: nothing was written, and the text is for the caller. */
      readonly path: string | null;
      readonly text: string;
      /** Files of the folder that are no states. */
      readonly leftOut: readonly string[];
    };

/**
 * Makes one file of a folder, or a folder of one file, which name the schema for
 * editors in the folder of those that ship. Rejects with a RaymondError; nothing
 * is written over.
 */
export async function convertWorkflow(
  workflow: string,
  output: string | null,
  schemas: string,
  { cwd }: Pick<Caller, "cwd">,
): Promise<Conversion> {
  const from = path.resolve(cwd, workflow);
  const to = output === null ? null : path.resolve(cwd, output);
  if (isSingleFile(from)) {
    if (to === null) throw authorErrors["run/conversion-needs-folder"](workflow);
    return {
      kind: "folder",
      path: to,
      files: await fileToFolder(from, to, (file, text) =>
        withYamlSchema(text, yamlSchemaLine(schemas, "workflow", file)),
      ),
    };
  }
  const { text: bare, leftOut } = await folderToFile(from);
  const line = yamlSchemaLine(schemas, "single-file", to ?? path.join(cwd, "flow.yaml"));
  const text = withYamlSchema(bare, line);
  if (to !== null) await writeNew(to, text);
  return { kind: "file", path: to, text, leftOut };
}
