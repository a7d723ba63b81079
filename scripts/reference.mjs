// Writes what is generated from the command tree and the table of settings: parts of docs/cli.md, and the
// .raymond/config.toml of this repository. A test compares both (tests/cli/words/docs.test.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { configFile } from "../src/author/init-config.ts";
import { withReference } from "./generators/reference.ts";
import { fullTree } from "./generators/full-tree.ts";

const FILE = "docs/cli.md";
const root = await fullTree();
writeFileSync(FILE, withReference(readFileSync(FILE, "utf8"), root));
writeFileSync(".raymond/config.toml", configFile("schemas", ".raymond/config.toml"));
