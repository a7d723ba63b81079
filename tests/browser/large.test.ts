import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { saveLongRun } from "../support/long-run.ts";
import { type Project, tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { openRun, serve } from "./served.ts";

const chromium = useChromium();

/** A workflow of 300 states with a run of 10,000 steps. */
async function largeProject(): Promise<Project> {
  const project = await tempProject({});
  const folder = path.join(project.dir, "large");
  await mkdir(folder);
  await writeFile(path.join(folder, "START.md"), "Begin.\n<goto>S0</goto>\n");
  for (let at = 0; at < 300; at += 1) {
    const ways = [at + 1, at + 295].map((to) => `echo '<goto>S${String(to % 300)}</goto>'\n`);
    await writeFile(path.join(folder, `S${String(at)}.sh`), ways.join(""));
  }
  const root = path.join(project.dir, ".raymond");
  await saveLongRun(root, { id: "large-1", steps: 10_000, agents: 500, folder });
  return project;
}

const HALF_WAY = `{
  const list = document.querySelector(".list");
  list.scrollTop = list.scrollHeight / 2;
}`;

const rows = (page: Page) => page.getByRole("listbox").getByRole("option").count();

describe("a run of 10,000 steps, 500 agents and 300 states", () => {
  it("is shown completely, but only visible rows are rendered", async () => {
    const { url } = await serve(await largeProject());
    const { page, complaints } = await chromium.open(url);
    await openRun(page, "large");

    await page
      .getByRole("listbox")
      .getByRole("option", { name: /#10000/ })
      .waitFor();
    expect(await rows(page)).toBeLessThan(60);
    const list = page.getByRole("listbox", { name: "Attempts" });
    await list.focus();
    await page.keyboard.press("End");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /START\.md.*#1\b/ })
      .waitFor();
    await page.evaluate(HALF_WAY);
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /START\.md.*#5000\b/ })
      .waitFor();
    expect(await rows(page)).toBeLessThan(60);

    await page.getByRole("tab", { name: "Agents 500" }).click();
    await page.getByRole("listbox", { name: "Agents" }).focus();
    await page.keyboard.press("End");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /main_worker499/ })
      .waitFor();
    expect(await rows(page)).toBeLessThan(60);

    await page.locator(".graph svg").waitFor();
    expect(complaints).toEqual([]);
  });
});
