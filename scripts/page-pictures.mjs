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
  { file: "dashboard-machines.png", screen: { viewport: { width: 1180, height: 970 } }, show: showMachines },
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

/** The page of a fleet, from a fixed response of the server. */
async function showMachines(page) {
  await page.route("**/api/runs", (route) => route.fulfill({ json: fleetResponse(Date.now()) }));
  await page.goto(`${page.url().split("#")[0]}#/machines`);
  await page.reload();
  await page.getByRole("row", { name: /m2.*gone/ }).waitFor();
}

function fleetResponse(now) {
  const after = (minutes) => new Date(now + minutes * 60_000).toISOString();
  const machine = { lives: true, draining: false, silent_since: null, version: "0.1.0" };
  const queue = { machine: null, pool: "default", account: null, later: 0, workers: "available" };
  const account = { machines: ["m1"], runs: 0, started: 0, slots: 0, today_usd: 0, waiting: 0, waiting_runs: [], rate: null, cooldown: null };
  const free = { max_runs: null, max_slots: null, per_day_usd: null };
  const schedule = { time_zone: "UTC", paused: false, last_run: null, last_at: null };
  const cooldown = { until: after(40), message: "You have hit your session limit" };
  const fleet = {
    machines: [
      { ...machine, id: "m1", state: "working", pools: ["default"], accounts: ["team", "ci"], slots: 2, active_runs: 2, runs: 2 },
      { ...machine, id: "m2", state: "gone", lives: false, silent_since: after(-12), pools: ["gpu"], accounts: [], slots: 1, active_runs: 0, runs: 1 },
    ],
    queues: [
      { ...queue, runs: 5, later: 1, first: "wf-2026-11-23-jx9b4s" },
      { ...queue, account: "team", runs: 2, first: "wf-2026-11-23-b4sv93" },
      { ...queue, machine: "m2", runs: 1, first: "wf-2026-11-23-42brah", workers: "none" },
      { ...queue, pool: "gpu", runs: 1, first: "wf-2026-11-23-rwsfzx", workers: "none" },
    ],
    accounts: [
      { ...account, ...free, account: "ci" },
      {
        ...{ ...account, account: "team", runs: 1, max_runs: 1, started: 1, rate: { runs: 10, per_s: 3_600 }, max_slots: 4 },
        ...{ per_day_usd: 20, waiting: 1, waiting_runs: ["wf-2026-11-23-l4mig9"], cooldown },
      },
    ],
    schedules: [
      { ...schedule, name: "hourly", workflow: "slow", cron: "0 * * * *", paused: true, next_at: after(20) },
      { ...schedule, name: "nightly", workflow: "flow", cron: "0 3 * * 1-5", time_zone: "Europe/Berlin", next_at: after(28) },
      {
        ...{ ...schedule, name: "often", workflow: "flow", cron: "*/5 * * * *", next_at: after(3) },
        ...{ last_run: "often-2026-11-23-0130", last_at: after(-2) },
      },
    ],
  };
  const shown = "postgresql://raymond@127.0.0.1/fleet";
  const folder = { folder: "fleet", path: shown, project: shown, runs: [], more: 0, older: null, starts_in: "/home/me", fleet, problem: null };
  return { version: "0.1.0", control: true, folders: [folder] };
}
