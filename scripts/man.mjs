// Writes the manual page, generated from the command tree, into a folder: node --import tsx scripts/man.mjs dist
import { writeFileSync } from "node:fs";
import { manPage } from "./generators/man-page.ts";

writeFileSync(`${process.argv[2]}/raymond.1`, await manPage());
