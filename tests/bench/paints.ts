import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { saveLongRun } from "../support/long-run.ts";
import { sampleOf } from "./measure.ts";
import type { Scale } from "./scale.ts";
import { serve } from "./serves.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { loop } from "./workflows.ts";

const CHROMIUM = process.env["RAYMOND_TEST_CHROMIUM"] ?? "/usr/bin/chromium";

/** Time until Chromium shows the first content and the last steps of a long run. */
export async function comparePaints(
  bed: TestBed,
  { steps, shortRounds, served }: Scale,
): Promise<readonly Row[]> {
  if (!existsSync(CHROMIUM)) {
    console.log(`paints: not measured, for there is no ${CHROMIUM} (npm run test:browser gets it)`);
    return [];
  }
  const folder = await mkdtemp(path.join(bed.root, "painted-"));
  await mkdir(path.join(folder, "runs"), { recursive: true });
  const [long, agents] = served;
  const workflow = await bed.workflow("painted-loop", loop(steps));
  await saveLongRun(folder, { id: "long", steps: long, agents, folder: workflow });
  const { child, url } = await serve(bed, folder);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(url.href);
    await page.getByRole("table").getByRole("link").first().click();
    const address = page.url();
    const taken = [];
    for (let round = 0; round < shortRounds; round += 1) {
      taken.push(await paintOf(page, address, long));
    }
    const of = `of ${String(long)} steps and ${String(agents)} agents in Chromium`;
    const rowOf = (what: string, values: readonly number[]): Row => {
      const title = `${what} ${of}`;
      return { what: title, floor: null, raymond: sampleOf(values), unit: "ms", target: 1_000 };
    };
    return [
      rowOf(
        "first paint",
        taken.map(({ first }) => first),
      ),
      rowOf(
        "its last steps",
        taken.map(({ whole }) => whole),
      ),
    ];
  } finally {
    await browser.close();
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/** Time since navigation start, ms. */
async function paintOf(page: Page, address: string, steps: number) {
  await page.goto("about:blank");
  const began = performance.now();
  await page.goto(address);
  await page.getByRole("option", { name: new RegExp(`#${String(steps)}\\b`) }).waitFor();
  const whole = performance.now() - began;
  const first = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  return { first, whole };
}
