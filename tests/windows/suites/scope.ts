import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { folderScope } from "../../../src/scopes/folder.ts";
import { describeScope } from "../../contracts/scope.ts";
import { tempFolder } from "../../support/folders.ts";

describeScope("folderScope", async (files) => {
  const folder = path.join(await tempFolder(), "flow");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folderScope(folder);
});
