import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { stemOf } from "../../src/language/workflow/files/state-name.ts";
import { drawPicture, PICTURES } from "../support/workflow/pictures.ts";
import { readSample } from "../workflows/sample.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const kept = (name: string) => readFile(path.join(ROOT, "docs/pictures", `${name}.svg`), "utf8");

describe("docs/pictures", () => {
  it.each(PICTURES)("has %s as `npm run pictures` draws it", async (name) => {
    expect(await drawPicture(name)).toBe(await kept(name));
  });

  it("has every state of the tour, which the README shows", async () => {
    const drawn = await kept("tour");

    for (const name of readSample("tour").names) expect(drawn).toContain(`>${stemOf(name)}<`);
    expect(await readFile(path.join(ROOT, "README.md"), "utf8")).toContain(
      "docs/pictures/tour.svg",
    );
  });
});
