import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { scene } from "../scene.ts";

/** Number of interrupts; RAYMOND_INTERRUPTS=200 for the long version. */
const ROUNDS = Number(process.env["RAYMOND_INTERRUPTS"] ?? 4);
const SEED = Number(process.env["RAYMOND_SEED"] ?? Date.now() % 1_000_000);

const BEAT =
  "mkdir -p heartbeats; setsid bash -c 'while :; do echo x >>\"heartbeats/$$\"; sleep 0.05; done' &\n";

it(
  `leaves no tool process behind, whenever it is interrupted (seed ${String(SEED)})`,
  async () => {
    const { project, start } = await scene(
      {
        "w/START.sh": "echo '<fork next=\"SECOND\">TOOL</fork>'\n",
        "w/SECOND.sh": "echo '<fork next=\"THIRD\">SCRIPT</fork>'\n",
        "w/THIRD.sh": "echo '<fork next=\"TOOL\">TOOL</fork>'\n",
        "w/TOOL.md": "Use a tool.",
        "w/SCRIPT.sh": `${BEAT}sleep 600\n`,
      },
      [{ do: ["heartbeat", "hang-in-tool"], tools: [{ name: "Bash" }], times: "always", say: "x" }],
    );
    const beats = path.join(project.dir, "heartbeats");
    const random = dice(SEED);
    let received = 0;

    for (let round = 0; round < ROUNDS; round += 1) {
      const running = start(`w --workflow-id round-${String(round)}`);
      await project.fileWith(`.raymond/workflows/round-${String(round)}.json`);
      await delay(random() * 1_500);
      running.kill(random() < 0.5 ? "SIGINT" : "SIGTERM");
      // Sometimes a second signal follows, which kills immediately.
      if (random() < 0.3) {
        await delay(random() * 1_000);
        running.kill("SIGINT");
      }
      expect([130, 143]).toContain((await running.exit).exitCode);

      const before = await sizes(beats);
      await delay(150);
      expect(await sizes(beats), `round ${String(round)}, seed ${String(SEED)}`).toEqual(before);
      received = before.size;
    }

    // Otherwise the test would check nothing.
    expect(received).toBeGreaterThan(0);
  },
  60_000 + ROUNDS * 20_000,
);

async function sizes(folder: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name) => {
    return [name, (await stat(path.join(folder, name))).size] as const;
  });
  return new Map(await Promise.all(found));
}

/** Reproducible random numbers in [0, 1) (mulberry32). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
