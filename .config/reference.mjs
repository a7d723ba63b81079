// Writes the generated parts of docs/cli.md from the command tree: node --import tsx .config/reference.mjs
// A test compares them (tests/cli/words/docs.test.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { commandTree } from "../src/cli/parse/tree.ts";
import { withReference } from "../tests/man/reference.ts";
import { testShell } from "../tests/support/test-shell.ts";

const FILE = "docs/cli.md";
const root = await commandTree(testShell("/"));
writeFileSync(FILE, withReference(readFileSync(FILE, "utf8"), root));
