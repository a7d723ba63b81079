import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { start } from "../support/cli.ts";
import type { Project } from "../support/project.ts";

/** A dashboard server in a separate process. */
export interface ServedDashboard {
  /** With its token. */
  readonly url: string;
  readonly port: number;
  /** Kills the process. */
  kill(): Promise<void>;
}

export async function serve(
  project: Project,
  ...flags: readonly string[]
): Promise<ServedDashboard> {
  const running = start(["serve", "--json", ...flags], { project });
  const kill = async () => {
    running.kill("SIGKILL");
    await running.exit;
  };
  onTestFinished(kill);
  await running.waitForStdout(/^\}\n/m);
  const { url, port } = JSON.parse(running.stdout()) as Pick<ServedDashboard, "url" | "port">;
  return { url, port, kill };
}

/** Starts a workflow from the page, which then shows its run. */
export async function startFrom(page: Page, workflow: string): Promise<void> {
  await page.getByRole("button", { name: "Start a workflow" }).click();
  await page.getByLabel(/^Workflow:/).fill(workflow);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("heading", { name: workflow, exact: true }).waitFor();
}

/** Opens the run of this workflow from the list. */
export async function openRun(page: Page, workflow: string): Promise<void> {
  await page.getByRole("table").getByRole("link", { name: workflow, exact: true }).click();
  await page.getByRole("heading", { name: workflow, exact: true }).waitFor();
}

/** Resolves when the shown run has this status. */
export async function hasStatus(page: Page, words: string): Promise<void> {
  await page
    .getByRole("region", { name: "Run", exact: true })
    .locator(".status", { hasText: words })
    .first()
    .waitFor();
}
