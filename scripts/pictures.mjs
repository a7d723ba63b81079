// Draws the pictures of the docs into docs/pictures; tests/run/pictures.test.ts fails when one of a workflow is stale.
// Those of the dashboard are taken from what is built, where there is a Chromium (npm run test:browser gets it).
import { existsSync, writeFileSync } from "node:fs";
import { drawPicture, PICTURES } from "../tests/support/workflow/pictures.ts";
import { takePictures } from "./page-pictures.mjs";

for (const name of PICTURES) writeFileSync(`docs/pictures/${name}.svg`, await drawPicture(name));
if (existsSync(process.env.RAYMOND_TEST_CHROMIUM ?? "/usr/bin/chromium")) await takePictures("docs/pictures");
else console.log("pictures: those of the dashboard stay as they are, for there is no Chromium");
