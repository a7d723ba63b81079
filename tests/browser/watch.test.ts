import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serveErrors } from "../../src/dashboard/server/errors.ts";
import { waitForFile } from "../e2e/scene.ts";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { hasStatus, openRun, serve, startFrom } from "./served.ts";

const NOT_SIGNED_IN = serveErrors["serve/not-let-in"]().message;

const chromium = useChromium();

async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? "";
}

/** Prints a line for each file that appears. */
const PRINTS_LINES = waitForFile(
  "one",
  `echo "line one"\n${waitForFile("two", `echo "line two"\n${waitForFile("go", "echo '<result>done</result>'")}`)}`,
);

describe("live updates", () => {
  it("show each output line of a running step once", async () => {
    const project = await tempProject({ "flow/START.sh": `echo "it starts"\n${PRINTS_LINES}` });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await startFrom(page, "flow");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /START\.sh/ })
      .click();
    const step = page.getByRole("region", { name: "Step 1" });

    await step.getByText("it starts").waitFor();
    await project.write("one", "");
    await step.getByText("line one").waitFor();
    await project.write("two", "");
    await step.getByText("line two").waitFor();
    expect((await textOf(step)).match(/it starts|line \w+/g)).toEqual([
      "it starts",
      "line one",
      "line two",
    ]);

    await project.write("go", "");
    await step.getByText("result: done").waitFor();
  });

  it("lose and repeat no output when the server restarts", async () => {
    const project = await tempProject({ "flow/START.sh": `echo "it starts"\n${PRINTS_LINES}` });
    const first = await serve(project, "--allow-control");
    const { page } = await chromium.open(first.url);
    await startFrom(page, "flow");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /START\.sh/ })
      .click();
    const step = page.getByRole("region", { name: "Step 1" });
    await step.getByText("it starts").waitFor();

    await first.kill();
    await page.getByText("connection lost").waitFor();
    await project.write("one", "");
    const second = await serve(project, "--allow-control", "--port", String(first.port));
    await page.getByText(NOT_SIGNED_IN).first().waitFor();
    const other = await page.context().newPage();
    await other.goto(second.url);

    await step.getByText("line one").waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    await project.write("two", "");
    await step.getByText("line two").waitFor();
    expect((await textOf(step)).match(/it starts|line \w+/g)).toEqual([
      "it starts",
      "line one",
      "line two",
    ]);
    expect(await page.getByText(NOT_SIGNED_IN).count()).toBe(0);

    await project.write("go", "");
    await hasStatus(page, "completed");
  });

  it("show the origin and the own steps of a rerun", async () => {
    const project = await tempProject({
      "flow/START.sh": "echo '<goto>END.sh</goto>'",
      "flow/END.sh": "echo '<result>done</result>'",
    });
    await raymond(["flow", "--quiet"], { project });
    await raymond(["rerun", "latest", "2"], { project });
    const { url } = await serve(project);
    const { page } = await chromium.open(url);
    await page.getByRole("table").getByRole("link", { name: "flow", exact: true }).first().click();

    await page.getByText(/, from step 2$/).waitFor();
    await page.getByRole("tab", { name: "Attempts 1" }).waitFor();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /END\.sh.*#2/ })
      .waitFor();
    expect(await page.getByRole("listbox").getByRole("option").count()).toBe(1);

    await page.getByRole("link", { name: /^wf-/ }).click();
    await page.getByRole("region", { name: "Step 2" }).waitFor();
  });

  it("show runs in the list that other processes start, question and complete", async () => {
    const project = await tempProject({
      "flow/START.sh": `echo '<ask next="END.sh">Ship it?</ask>'`,
      "flow/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
    });
    const { url } = await serve(project);
    const { page } = await chromium.open(url);
    await page.getByText("No runs yet.").waitFor();

    await raymond(["flow", "--quiet", "--no-input"], { project });
    await page.getByRole("cell", { name: "main asks: Ship it?" }).waitFor();
    await raymond(["answer", "latest", "yes", "--resume"], { project });
    await page.getByRole("row", { name: /flow.*completed/ }).waitFor();

    await page.getByLabel("Filter by status").selectOption("active");
    await page.getByText("No runs match this filter.").waitFor();
    await page.getByLabel("Filter by status").selectOption("completed");
    await page.getByLabel("Filter by words").fill("flow");
    await openRun(page, "flow");
    await hasStatus(page, "completed");
  });
});
