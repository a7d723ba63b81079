// Takes the pictures of the dashboard for the docs: runs of the samples, in a real Chromium, from what is built in `dist`.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const ROOT = path.resolve(import.meta.dirname, "..");
const RAYMOND = path.join(ROOT, "bin", "raymond.js");

/** Each file, with the screen that it shows. */
const PICTURES = [
  { file: "dashboard-run.png", screen: { viewport: { width: 1180, height: 700 } }, show: showLive },
  { file: "dashboard-step.png", screen: { viewport: { width: 1180, height: 640 }, colorScheme: "dark" }, show: showStep },
  { file: "dashboard-phone.png", screen: { viewport: { width: 375, height: 640 } }, show: async () => {} },
];

export async function takePictures(folder) {
  const around = realpathSync(mkdtempSync(path.join(tmpdir(), "raymond-pictures-")));
  const project = path.join(around, "my-project");
  const children = [];
  const raymond = (...words) => {
    const child = spawn(process.execPath, [RAYMOND, ...words], { cwd: project, stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    return child;
  };
  const browser = await chromium.launch({ executablePath: process.env.RAYMOND_TEST_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    for (const name of ["review-gate", "plan-then-implement", "map-and-merge"]) {
      cpSync(path.join(ROOT, "workflows", name), path.join(project, name), { recursive: true });
    }
    for (const name of ["plan-then-implement", "review-gate"]) {
      execFileSync(process.execPath, [RAYMOND, name, "--simulate", "--quiet", "--input", "Read leap years."], { cwd: project, stdio: "ignore" });
    }
    halfWay(path.join(project, "map-and-merge", "map-and-merge.sim.yaml"));
    raymond("map-and-merge", "--simulate", "--quiet");
    const [said] = await once(raymond("serve", "--allow-control").stdout, "data");
    for (const { file, screen, show } of PICTURES) {
      const page = await (await browser.newContext({ reducedMotion: "reduce", ...screen })).newPage();
      await page.goto(String(said).trim());
      await page.getByRole("row", { name: /map-and-merge.*running/ }).waitFor();
      await show(page);
      await page.screenshot({ path: path.join(folder, file) });
    }
  } finally {
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(children.map((child) => child.exitCode ?? once(child, "exit")));
    await browser.close();
    rmSync(around, { recursive: true, force: true });
  }
}

/** Some workers are quick, and the others take so long that the picture shows them. */
function halfWay(file) {
  const text = readFileSync(file, "utf8");
  const [quick] = /    - reply: "<result>Of[\s\S]*?times: always\n/.exec(text);
  const slow = quick.replace("100ms", "10m");
  writeFileSync(file, text.replace(quick, quick.replace("times: always", "times: 5") + slow));
}

async function showLive(page) {
  await page.getByRole("table").getByRole("link", { name: "map-and-merge" }).click();
  await page.locator(".graph .badge", { hasText: "5" }).waitFor();
  await page.getByRole("option", { name: /running LOOK/ }).first().waitFor();
}

async function showStep(page) {
  await page.getByRole("table").getByRole("link", { name: "review-gate" }).click();
  await page.locator(".graph svg").waitFor();
  await page.getByRole("option", { name: /SUMMARIZE/ }).first().click();
  await page.locator("summary", { hasText: "Prompt" }).click();
}
