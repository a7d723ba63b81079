import path from "node:path";
import { fileStore } from "../../../src/storage/file.ts";
import { describeStore } from "../../contracts/store.ts";
import { tempFolder } from "../../support/folders.ts";

describeStore(
  "fileStore",
  async () => path.join(await tempFolder(), ".raymond"),
  (root) => fileStore(root),
);
