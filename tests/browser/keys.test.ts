import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { type Project, tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { serve } from "./served.ts";

const chromium = useChromium();

/** Runs named `one`, `two` and `three`, of two attempts each; `three` is the newest. */
async function threeRuns(): Promise<Project> {
  const project = await tempProject({
    "flow/START.sh": "echo '<goto>END</goto>'",
    "flow/END.sh": "echo '<result>done</result>'",
  });
  for (const id of ["one", "two", "three"]) {
    await raymond(["flow", "--quiet", "--workflow-id", id], { project });
  }
  return project;
}

const hash = (page: Page) => page.evaluate<string>("location.hash");
/** Resolves when the focus is on an element with this text. */
async function focusIsOn(page: Page, text: string): Promise<void> {
  await page.locator(":focus", { hasText: text }).waitFor();
}

describe("the keyboard", () => {
  it("moves in the list of runs with l, j, k and the arrows, and opens a run with Enter", async () => {
    const { url } = await serve(await threeRuns());
    const { page } = await chromium.open(url);
    await page.getByRole("table").waitFor();
    const row = () => page.evaluate<string>("document.activeElement.dataset.row.split(' ')[1]");

    await page.keyboard.press("l");
    expect(await row()).toBe("three");
    await page.keyboard.press("j");
    expect(await row()).toBe("two");
    await page.keyboard.press("ArrowDown");
    expect(await row()).toBe("one");
    await page.keyboard.press("k");
    await page.keyboard.press("ArrowUp");
    expect(await row()).toBe("three");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");

    await page.getByText("one", { exact: true }).waitFor();
    await focusIsOn(page, "flow");
    await page.keyboard.press("u");
    await focusIsOn(page, "Runs");
    await page.keyboard.press("l");
    expect(await row()).toBe("one");
  });

  it("keeps the focus after navigation in a run", async () => {
    const { url } = await serve(await threeRuns());
    const { page } = await chromium.open(url);
    await page.getByRole("row", { name: /two/ }).getByRole("link").click();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /done END\.sh/ })
      .waitFor();

    await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await focusIsOn(page, "START.sh #1");
    await page.keyboard.press("u");
    await focusIsOn(page, "END.sh");
    await page.keyboard.press("2");
    await focusIsOn(page, "main");
    await page.keyboard.press("4");
    await focusIsOn(page, "Cost");
    await page.keyboard.press("5");
    await page.getByRole("tab", { name: "commands", selected: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByText("show a tab of a run: attempts, agents, states, cost, commands").waitFor();
  });

  it("skips to the content without leaving the run", async () => {
    const { url } = await serve(await threeRuns());
    const { page } = await chromium.open(url);
    await page.getByRole("row", { name: /two/ }).getByRole("link").click();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /done END\.sh/ })
      .waitFor();
    const before = await hash(page);

    await page.getByRole("link", { name: "Skip to content" }).press("Enter");

    expect(await hash(page)).toBe(before);
    expect(await page.evaluate("document.activeElement.id")).toBe("main-part");
  });
});

describe("the address", () => {
  it("contains the filter of the list, and Back restores it", async () => {
    const { url } = await serve(await threeRuns());
    const { page } = await chromium.open(url);
    await page.getByLabel("Filter by status").selectOption("completed");
    await page.getByLabel("Filter by words").fill("two");
    expect(await hash(page)).toBe("#/?words=two&status=done");

    await page.getByRole("table").getByRole("link").click();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /done END\.sh/ })
      .waitFor();
    await page.goBack();

    await page.getByText("1 of 3 runs").waitFor();
    expect(await page.getByLabel("Filter by words").inputValue()).toBe("two");
    await page.reload();
    await page.getByText("1 of 3 runs").waitFor();
  });

  it("contains the tab and the selected agent", async () => {
    const { url } = await serve(await threeRuns());
    const { page } = await chromium.open(url);
    await page.getByRole("row", { name: /two/ }).getByRole("link").click();
    await page.getByRole("tab", { name: "Agents" }).click();
    await page.getByRole("listbox").getByRole("option", { name: /main/ }).click();
    expect(await hash(page)).toMatch(/two\?agent=main$/);

    await page.goBack();
    await page.getByRole("listbox", { name: "Agents" }).waitFor();
    expect(await hash(page)).toMatch(/two\?tab=agents$/);
    await page.reload();
    await page.getByRole("listbox", { name: "Agents" }).waitFor();
  });
});
