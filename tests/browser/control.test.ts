import { describe, expect, it } from "vitest";
import { waitForFile } from "../e2e/scene.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { serve, standsAs, startFrom } from "./served.ts";

const chromium = useChromium();

describe("from the page", () => {
  it("a workflow is started, watched, answered, and seen to its end", async () => {
    const project = await tempProject({
      "flow/START.sh": waitForFile("go", `echo '<ask next="END.sh">Ship it?</ask>'`),
      "flow/END.sh": 'echo "<result>shipped: $RAYMOND_RESULT</result>"',
    });
    const { url } = await serve(project, "--allow-control");
    const { page, complaints } = await chromium.open(url);

    await startFrom(page, "flow");
    await standsAs(page, "running");
    await page.getByRole("option", { name: /running START\.sh/ }).waitFor();
    await page.locator(".graph .busy", { hasText: "START" }).waitFor();

    await project.write("go", "");
    await standsAs(page, "paused");
    await page.getByLabel("Your answer to main").fill("yes, today");
    await page.getByRole("button", { name: "Answer and resume" }).click();
    await standsAs(page, "completed");

    await page.getByRole("option", { name: /END\.sh.*result: shipped: yes, today/ }).waitFor();
    await page.locator(".graph .caption", { hasText: "result 1×" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("a question with options is answered by a button", async () => {
    const project = await tempProject({
      "flow/START.sh": `echo '<ask next="END.sh" options="keep|throw away">And now?</ask>'`,
      "flow/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
    });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);

    await startFrom(page, "flow");
    await page.getByText("your answer makes it go on").waitFor();
    await page.getByRole("button", { name: "throw away" }).click();

    await standsAs(page, "completed");
    await page.getByRole("option", { name: /result: throw away/ }).waitFor();
  });

  it("a run is stopped, and resumed", async () => {
    const project = await tempProject({
      "flow/START.sh": waitForFile("go", "echo '<result>done</result>'"),
    });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await startFrom(page, "flow");
    await standsAs(page, "running");

    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await standsAs(page, "running");
    await project.write("go", "");

    await standsAs(page, "completed");
    expect(await page.getByRole("button", { name: /Stop|Resume/ }).count()).toBe(0);
  });

  it("nothing can be started that is not there, and it says so", async () => {
    const project = await tempProject({ "flow/START.sh": "echo '<result>done</result>'" });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);

    await page.getByRole("button", { name: "Start a workflow" }).click();
    await page.getByLabel(/^Workflow:/).fill("nowhere");
    await page.getByRole("button", { name: "Start", exact: true }).click();

    await page.getByRole("alert").filter({ hasText: "nowhere" }).waitFor();
  });
});
