import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { LOW_CONTRAST_TEXT } from "./low-contrast.ts";
import { serve } from "./served.ts";

const chromium = useChromium();

/** The run `one`, and its rerun `two` from step 2 with another transition. */
async function rerun() {
  const project = await tempProject({
    "flow/START.sh": "echo '<goto>LOOK.sh</goto>'",
    "flow/LOOK.sh": `echo "I look"; echo "$(cat said)"; echo "<goto>$(cat way)</goto>"`,
    "flow/FIX.sh": "echo '<result>fixed</result>'",
    "flow/END.sh": "echo '<result>done</result>'",
    said: `<b>it is ${"very ".repeat(60)}broken</b>`,
    way: "FIX.sh",
  });
  await raymond(["flow", "--quiet", "--workflow-id", "one"], { project });
  await project.write("said", "it is well");
  await project.write("way", "END.sh");
  await raymond(["rerun", "one", "2", "--quiet", "--workflow-id", "two"], { project });
  const { url } = await serve(project);
  return { project, url };
}

describe("the page of a rerun", () => {
  it("shows the same changes as diff-runs, with the output of both steps", async () => {
    const { project, url } = await rerun();
    const { stdout } = await raymond(["diff-runs", "one", "two"], { project });
    const { page, complaints } = await chromium.open(url);
    await page.getByRole("row", { name: /two/ }).getByRole("link").first().click();
    await page.getByText(/, from step 2$/).waitFor();

    await page.keyboard.press("6");
    const pane = page.locator(".changes");
    await pane.getByRole("heading", { name: "Changes since the original run" }).waitFor();
    const [head = "", from = ""] = stdout.split("\n");
    await pane.getByText(head).waitFor();
    await pane.getByText(from).waitFor();
    await pane.getByText("- LOOK.sh  goto FIX.sh").waitFor();
    await pane.getByText("+ LOOK.sh  goto END.sh").waitFor();
    await pane.getByText("Output of both steps").click();
    await pane.getByText(/^- <b>it is very/).waitFor();
    await pane.getByText("+ it is well").waitFor();
    await pane.getByText(/LOOK\.sh · .*FIX\.sh/).waitFor();

    await pane.getByRole("link", { name: "step 2 of one" }).click();
    await page.getByRole("region", { name: "Step 2" }).waitFor();
    await page.keyboard.press("u");
    await page.getByRole("tab", { name: "Attempts 3" }).waitFor();
    expect(await page.getByRole("tab", { name: "Changes" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "fits a phone, with sufficient contrast: %s",
    async (colorScheme) => {
      const { url } = await rerun();
      const viewport = { width: 375, height: 700 };
      const { page } = await chromium.open(url, { viewport, colorScheme, reducedMotion: "reduce" });
      await page.getByRole("row", { name: /two/ }).getByRole("link").first().click();
      await page.getByRole("tab", { name: "Changes" }).click();
      await page.getByText("Output of both steps").click();
      await page.getByText("+ it is well").waitFor();

      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
      expect(await page.evaluate(LOW_CONTRAST_TEXT)).toEqual([]);
    },
  );
});
