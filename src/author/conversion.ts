import path from "node:path";
import { fileToFolder, folderToFile, writeNew } from "../scopes/convert.ts";
import { isSingleFile } from "../scopes/single-file.ts";
import type { Caller } from "../wire/caller.ts";
import { authorErrors } from "./errors.ts";
import { withYamlSchema, yamlSchemaLine } from "./schema-place.ts";

export type Conversion =
  | { readonly kind: "folder"; readonly path: string; readonly files: readonly string[] }
  | {
      readonly kind: "file";
      /** Null: nothing was written. */
      readonly path: string | null;
      readonly text: string;
      /** Files of the folder that are not states. */
      readonly leftOut: readonly string[];
    };

/**
 * Converts a folder to a single file, or a single file to a folder. `schemas`: folder of the
 * shipped schemas, which the result names for editors. Rejects with a RaymondError. Overwrites
 * nothing.
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
