import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { fleetScene, type Scene } from "./scene.ts";

const WORKFLOW = { "w/START.sh": 'echo "<result>$who</result>"' };

/** Moves all schedules into the past by this time. */
async function passYears({ database }: Scene, years: number): Promise<void> {
  await database.query("UPDATE raymond.schedules SET next_at = next_at - $1 * interval '1 year'", [
    years,
  ]);
}

async function runsOf({ database }: Scene): Promise<readonly string[]> {
  const rows = await database.query<{ id: string; status: string }>(
    "SELECT id, status FROM raymond.runs ORDER BY id",
  );
  return rows.flatMap(({ id, status }) => (status === "completed" ? id : []));
}

async function listed(scene: Scene): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await scene.call("fleet", "schedules", "--json");
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("raymond submit --every", () => {
  it("starts one run per due time across all workers, and one run for all missed times", async () => {
    const scene = await fleetScene(WORKFLOW);
    const made = await scene.call("submit", "w", "--every", "0 3 1 1 *", "--var", "who=she");
    await scene.project.write("w/START.sh", "exit 1");
    await scene.call("submit", "w", "--every", "@yearly", "--workflow-id", "paused");
    await scene.call("fleet", "schedules", "pause", "paused");
    await passYears(scene, 3);
    await Promise.all([scene.worker("m1"), scene.worker("m2")]);

    const runs = await until("a run", async () => {
      const found = await runsOf(scene);
      return found.length > 0 ? found : undefined;
    });
    const [paused, once] = await listed(scene);
    await scene.call("fleet", "schedules", "remove", "w");

    expect(made).toMatchObject({ exitCode: 0, stdout: "w\n" });
    expect(runs).toEqual([expect.stringMatching(/^w-\d{4}-01-01-0300$/)]);
    expect(once).toMatchObject({ name: "w", cron: "0 3 1 1 *", last_run: runs[0], paused: false });
    expect(Date.parse(String(once?.["next_at"]))).toBeGreaterThan(Date.now());
    expect(paused).toMatchObject({ name: "paused", paused: true, last_run: null });
    // The submitted version, with its options.
    expect((await scene.call("status", runs[0] ?? "", "--json")).stdout).toContain('"she"');
    expect(await listed(scene)).toHaveLength(1);
    expect(await runsOf(scene)).toEqual(runs);
  });

  it("is refused in words", async () => {
    const scene = await fleetScene(WORKFLOW);
    await scene.call("submit", "w", "--every", "@daily");

    for (const [words, message] of [
      [["submit", "w", "--every", "@daily"], "A schedule named w already exists"],
      [["submit", "w", "--every", "61 * * * *"], "Invalid value for minute: 61"],
      [["submit", "w", "--every", "@daily", "--time-zone", "Land"], "it is not a known time zone"],
      [["submit", "w", "--every", "@daily", "--at", "2h"], "cannot be combined"],
      [["fleet", "schedules", "pause", "x"], "Schedule x not found"],
      [["fleet", "schedules", "remove"], "Missing required argument schedule"],
      [["fleet", "schedules", "stop", "w"], 'Unknown command "raymond fleet schedules stop"'],
    ] as const) {
      const { exitCode, stderr } = await scene.call(...words);
      expect({ exitCode, stderr }).toEqual({
        exitCode: expect.toSatisfy((code) => code === 2 || code === 7) as number,
        stderr: expect.stringContaining(message) as string,
      });
    }
  });
});
