import { readdirSync, readFileSync } from "node:fs";

/**
 * The licences of the packages that these files of a bundle come from, as one text. A package without a licence
 * file is named by the licence in its manifest; one without either stops the build.
 */
export function licencesOf(files) {
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  return packages.map(licenceOf).join(`\n${"-".repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${folder} has no licence`);
  const text = file === undefined ? "" : `\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
