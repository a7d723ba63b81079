import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { fleetScene } from "../e2e/fleet/scene.ts";
import { waitForFile } from "../e2e/scene.ts";
import { until } from "../support/until.ts";
import { useChromium } from "./chromium.ts";
import { hasStatus, serve, startFrom } from "./served.ts";

const chromium = useChromium();

async function openRun(page: Page, id: string): Promise<void> {
  await page.getByRole("link", { name: "raymond", exact: true }).click();
  await page
    .getByRole("row", { name: new RegExp(id) })
    .getByRole("link")
    .click();
  await page.getByRole("region", { name: "Run", exact: true }).getByText(id).waitFor();
}

it("shows a fleet run that another machine takes over, and answers a question", async () => {
  const scene = await fleetScene({
    "flow/1_START.sh": "echo '<goto>2_WAIT.sh</goto>'",
    "flow/2_WAIT.sh": `echo "it waits"\n${waitForFile("go", "echo '<result>done</result>'")}`,
    "ask/START.sh": `echo '<ask next="END.sh">Ship it?</ask>'`,
    "ask/END.sh": 'echo "<result>shipped: $RAYMOND_RESULT</result>"',
  });
  const { project } = scene;
  const workers = { m1: await scene.worker("m1"), m2: await scene.worker("m2") };
  const { url } = await serve(project, "--allow-control");
  const { page, complaints } = await chromium.open(url);
  await page.getByRole("link", { name: "2 machines" }).waitFor();

  const flow = await scene.submit("flow", "--workspace", "shared", "--failover-after", "3s");
  await openRun(page, flow);
  await page
    .getByRole("listbox")
    .getByRole("option", { name: /running 2_WAIT\.sh/ })
    .waitFor();
  await page.locator(".graph .busy", { hasText: "2_WAIT" }).waitFor();
  const { home } = await scene.rowOf(flow, (row) => row.home !== null);
  const other = home === "m1" ? "m2" : "m1";
  const fact = page.getByRole("region", { name: "Run", exact: true }).locator("dl.facts > div");
  await fact.filter({ hasText: `Machine${home ?? ""}` }).waitFor();

  workers[home as "m1"].kill("SIGKILL");
  await fact.filter({ hasText: `Machine${other}` }).waitFor();
  // The interrupted step starts again there.
  await page
    .getByRole("listbox")
    .getByRole("option", { name: /running 2_WAIT\.sh.*#3/ })
    .waitFor();
  await page
    .getByRole("listbox")
    .getByRole("option", { name: /running 2_WAIT\.sh.*#3/ })
    .click();
  await page.getByRole("region", { name: "Step 3" }).getByText("it waits").waitFor();
  await page.getByText(/Only the event log is available here/).waitFor();
  await project.write("go", "");
  await hasStatus(page, "completed");

  await page.getByRole("link", { name: "Machines", exact: true }).click();
  await page.getByRole("row", { name: new RegExp(`${home ?? ""}.*gone`) }).waitFor();
  await page.getByRole("row", { name: new RegExp(`${other}.*working`) }).waitFor();
  await page.getByText("No queued runs.").waitFor();

  // Only the live machine can claim it.
  await startFrom(page, "ask");
  await hasStatus(page, "paused");
  // The worker releases the run shortly after the save.
  await until("the run to be released", async () => {
    const held = await scene.database.query(
      "SELECT 1 FROM raymond.runs WHERE id <> $1 AND holder IS NOT NULL",
      [flow],
    );
    return held.length === 0 ? true : undefined;
  });
  await page.getByLabel("Your answer to main").fill("yes, today");
  await page.getByRole("button", { name: "Answer and resume" }).click();
  await hasStatus(page, "completed");
  await page
    .getByRole("listbox")
    .getByRole("option", { name: /END\.sh.*result: shipped: yes, today/ })
    .waitFor();
  expect(complaints).toEqual([]);
});
