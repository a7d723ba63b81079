import { describe, expect, it } from "vitest";
import { waitForFile } from "../e2e/scene.ts";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { hasStatus, openRun, serve, startFrom } from "./served.ts";

const chromium = useChromium();

describe("the page", () => {
  it("starts a workflow, shows its progress, answers it, and shows its result", async () => {
    const project = await tempProject({
      "flow/START.sh": waitForFile("go", `echo '<ask next="END.sh">Ship it?</ask>'`),
      "flow/END.sh": 'echo "<result>shipped: $RAYMOND_RESULT</result>"',
    });
    const { url } = await serve(project, "--allow-control");
    const { page, complaints } = await chromium.open(url);

    await startFrom(page, "flow");
    await hasStatus(page, "running");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /running START\.sh/ })
      .waitFor();
    await page.locator(".graph .busy", { hasText: "START" }).waitFor();

    await project.write("go", "");
    await hasStatus(page, "paused");
    await page.getByLabel("Your answer to main").fill("yes, today");
    await page.getByRole("button", { name: "Answer and resume" }).click();
    await hasStatus(page, "completed");

    await page
      .getByRole("listbox")
      .getByRole("option", { name: /END\.sh.*result: shipped: yes, today/ })
      .waitFor();
    await page.locator(".graph .caption", { hasText: "result 1×" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("answers a question with options by a button", async () => {
    const project = await tempProject({
      "flow/START.sh": `echo '<ask next="END.sh" options="keep|throw away">And now?</ask>'`,
      "flow/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
    });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);

    await startFrom(page, "flow");
    await page.getByText("Your answer resumes it").waitFor();
    await page.getByRole("button", { name: "throw away" }).click();

    await hasStatus(page, "completed");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /result: throw away/ })
      .waitFor();
  });

  it("allows a denied call once, and shows it", async () => {
    const project = await tempProject({
      "flow/START.md": "---\nallowed_transitions: [{ tag: goto, target: END }]\n---\nTest it.\n",
      "flow/END.sh": "echo '<result>tested</result>'",
      "flow/flow.sim.yaml":
        "states:\n  START:\n    - reply: <goto>END</goto>\n      denied: [{ tool: Bash, input: npm test }]\n    - reply: <goto>END</goto>\n",
    });
    await raymond(["flow", "--quiet", "--simulate", "--on-denied", "ask"], { project });
    const { url } = await serve(project, "--allow-control");
    const { page, complaints } = await chromium.open(url);
    await openRun(page, "flow");
    await hasStatus(page, "paused");
    await page.getByText("Bash: npm test").first().waitFor();

    await page.getByRole("button", { name: "allow once" }).click();

    await hasStatus(page, "completed");
    await page.getByRole("option", { name: /result: tested/ }).waitFor();
    await page.getByText("1 tool call was denied").waitFor();
    expect(complaints).toEqual([]);
  });

  it("sets the result of a failed step, and shows why it refuses one", async () => {
    const project = await tempProject({
      "flow/START.sh": "echo '<call return=\"END\">WORK</call>'",
      "flow/WORK.sh": "# raymond: schema=one.schema.json\nexit 1",
      "flow/END.sh": 'echo "<result>got $RAYMOND_RESULT</result>"',
      "flow/one.schema.json": JSON.stringify({ type: "number" }),
    });
    await raymond(["flow", "--quiet"], { project });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await openRun(page, "flow");
    await hasStatus(page, "failed");

    await page.getByText("Set result", { exact: true }).first().click();
    await page.getByLabel("Result", { exact: true }).fill("many");
    await page.getByLabel("Reason").fill("counted by hand");
    await page.getByRole("button", { name: "Set result" }).click();
    await page.getByRole("alert").filter({ hasText: "one.schema.json" }).waitFor();
    await page.getByLabel("Result", { exact: true }).fill("3");
    await page.getByRole("button", { name: "Set result" }).click();
    await page.getByText("Resume the run to continue").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();

    await hasStatus(page, "completed");
    await page.getByRole("option", { name: /result: got 3/ }).waitFor();
  });

  it("stops a run and resumes it", async () => {
    const project = await tempProject({
      "flow/START.sh": waitForFile("go", "echo '<result>done</result>'"),
    });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await startFrom(page, "flow");
    await hasStatus(page, "running");

    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await hasStatus(page, "running");
    await project.write("go", "");

    await hasStatus(page, "completed");
    expect(await page.getByRole("button", { name: /Stop|Resume/ }).count()).toBe(0);
  });

  it("resumes a run with more steps, and removes the message once it is outdated", async () => {
    const project = await tempProject({ "flow/START.sh": "echo '<goto>START</goto>'" });
    await raymond(["flow", "--quiet", "--max-steps", "3"], { project });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await openRun(page, "flow");

    await page.getByLabel("max steps").fill("3");
    expect(await page.getByRole("button", { name: "Resume" }).isDisabled()).toBe(true);
    await page.getByLabel("max steps").fill("5");
    await page.getByRole("button", { name: "Resume" }).click();

    await page.getByText("5 of 5").waitFor();
    await hasStatus(page, "paused");
    await page.getByText("Resumed.").waitFor({ state: "detached" });
  });

  it("shows the end of a delay", async () => {
    const project = await tempProject({
      "flow/START.sh": `echo '<goto delay="2h">END</goto>'`,
      "flow/END.sh": "echo '<result>done</result>'",
    });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);
    await startFrom(page, "flow");
    await page.getByText(/^main: waiting for the delay of its workflow, until /).waitFor();

    await page.getByRole("button", { name: "Stop" }).click();
    await hasStatus(page, "interrupted");
    await page.locator(".graph .badge.stopped").waitFor();
    expect(await page.locator(".graph .busy").count()).toBe(0);
  });

  it("reports a workflow that does not exist", async () => {
    const project = await tempProject({ "flow/START.sh": "echo '<result>done</result>'" });
    const { url } = await serve(project, "--allow-control");
    const { page } = await chromium.open(url);

    await page.getByRole("button", { name: "Start a workflow" }).click();
    await page.getByLabel(/^Workflow:/).fill("nowhere");
    await page.getByRole("button", { name: "Start", exact: true }).click();

    await page.getByRole("alert").filter({ hasText: "nowhere" }).waitFor();
  });
});
