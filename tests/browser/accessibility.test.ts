import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { type Project, tempProject } from "../support/project.ts";
import { type Tab, useChromium } from "./chromium.ts";
import { LOW_CONTRAST_TEXT } from "./low-contrast.ts";
import { openRun, serve } from "./served.ts";

const chromium = useChromium();

/** A run with steps, a worker, a question and a failure. */
async function busyProject(): Promise<Project> {
  const project = await tempProject({
    "a-workflow-with-a-long-name/START.sh": `echo '<fork next="ASK.sh">WORK.sh</fork>'`,
    "a-workflow-with-a-long-name/WORK.sh": "echo working; echo oh >&2; exit 3",
    "a-workflow-with-a-long-name/ASK.sh": `echo '<ask next="END.sh" options="yes|no">${"Is it good? ".repeat(30)}</ask>'`,
    "a-workflow-with-a-long-name/END.sh": "echo '<result>done</result>'",
  });
  const words = ["a-workflow-with-a-long-name", "--quiet", "--no-input", "--keep-going"];
  await raymond(words, { project });
  return project;
}

const VIEWS = ["runs", "attempts", "agents", "states", "cost", "step", "help"] as const;

/** Shows each view and calls `look`. */
async function eachView(page: Page, look: (view: string) => Promise<void>): Promise<void> {
  await page.getByRole("table").waitFor();
  await look("runs");
  await openRun(page, "a-workflow-with-a-long-name");
  await page.locator(".graph svg").waitFor();
  for (const view of VIEWS.slice(1, 5)) {
    await page.getByRole("tab", { name: new RegExp(view, "i") }).click();
    await page
      .getByRole("listbox")
      .getByRole("option")
      .or(page.getByText("No cost yet."))
      .or(page.getByRole("table"))
      .first()
      .waitFor();
    await look(view);
  }
  await page.getByRole("tab", { name: /Attempts/ }).click();
  await page
    .getByRole("listbox")
    .getByRole("option", { name: /START\.sh/ })
    .click();
  await page.getByText("stdout").waitFor();
  await look("step");
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("dialog").waitFor();
  await look("help");
}

describe("accessibility", () => {
  it("no view is wider than a phone", async () => {
    const { url } = await serve(await busyProject(), "--allow-control");
    const { page } = await chromium.open(url, { viewport: { width: 375, height: 700 } });

    const widths: Record<string, unknown> = {};
    await eachView(page, async (view) => {
      widths[view] = await page.evaluate("document.documentElement.scrollWidth");
    });

    expect(widths).toEqual(Object.fromEntries(VIEWS.map((view) => [view, 375])));
  });

  it.each(["light", "dark"] as const)("texts have sufficient contrast: %s", async (colorScheme) => {
    const { url } = await serve(await busyProject(), "--allow-control");
    const { page } = await chromium.open(url, { colorScheme, reducedMotion: "reduce" });

    const pale: unknown[] = [];
    await eachView(page, async (view) => {
      const found = await page.evaluate<readonly string[]>(LOW_CONTRAST_TEXT);
      pale.push(...found.map((words) => `${view}: ${words}`));
    });

    expect(pale).toEqual([]);
  });

  it("animations are off with reduced motion", async () => {
    const { url } = await serve(await busyProject());
    const { page } = await chromium.open(url, { reducedMotion: "reduce" });
    await openRun(page, "a-workflow-with-a-long-name");
    await page.locator(".graph svg").waitFor();

    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  });

  it("the keyboard is sufficient, and the focus is visible", async () => {
    const { url } = await serve(await busyProject(), "--allow-control");
    const tab = await chromium.open(url);
    const { page } = tab;
    await page.getByRole("table").waitFor();

    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.keyboard.press("/");
    await page.keyboard.type("long-name");
    await tabTo(tab, "a-workflow-with-a-long-name");
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").getByRole("option").first().waitFor();

    await page.keyboard.press("l");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Step 1", exact: true }).waitFor();
    await page.keyboard.press("u");
    await page.keyboard.press("2");
    await page.getByRole("listbox", { name: "Agents" }).waitFor();

    await page.keyboard.press("a");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("yes");
    await page.keyboard.press("Enter");
    await page
      .locator(".status", { hasText: /completed|failed/ })
      .first()
      .waitFor();
  });
});

/** Presses the tab key until the element with this name has the focus. Fails if the focus is invisible on the way. */
async function tabTo({ page }: Tab, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate<Focus>(FOCUS);
    if (at.name !== "" && !at.seen) throw new Error(`The focus on ${at.name} cannot be seen.`);
    if (at.name === name) return;
  }
  throw new Error(`The tab key does not reach ${name}.`);
}

interface Focus {
  readonly name: string;
  /** Whether the focus is visible. */
  readonly seen: boolean;
}

const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return { name: "", seen: true };
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  return { name: at.textContent.trim(), seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
})()`;
