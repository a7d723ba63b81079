// Writes the manual page, made from the command tree, into the folder that is named: node --import tsx .config/man.mjs dist
import { writeFileSync } from "node:fs";
import { manPage } from "../tests/man/page.ts";

writeFileSync(`${process.argv[2]}/raymond.1`, manPage());
