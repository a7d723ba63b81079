// Draws the pictures of the docs into docs/pictures; tests/runs/pictures.test.ts fails when one is stale.
import { writeFileSync } from "node:fs";
import { drawPicture, PICTURES } from "../tests/support/pictures.ts";

for (const name of PICTURES) writeFileSync(`docs/pictures/${name}.svg`, await drawPicture(name));
