import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CHAOS_MAIN } from "../chaos/place.ts";
import { setup as buildTestEntry } from "../chaos/setup.ts";
import { CLOCK_FILE } from "../chaos/time/moved-clock.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says } from "../support/client/messages-answer.ts";
import { killMarked } from "../support/process/leaks.ts";
import { until } from "../support/until.ts";
import { type Scene, setScene, UNASKED } from "./scene.ts";

/** $0.3015 each. */
const DEAR = { usage: { input: 100_000 } };
const ENDLESS = "echo started > started; tail -f /dev/null";
const END = says("<result>end</result>", DEAR);

beforeAll(buildTestEntry);

/** raymond alone is killed while its client works (docs/durability.md, promises 2 and 5). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("an answer that the client finished without raymond counts, and is neither done nor paid again", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", runs("sleep 1", says("<goto>NEXT</goto>", DEAR), DEAR)],
      ["Beta", END],
    ]);
    await orphan(scene, "Alpha.");
    await gone(scene);

    const end = await scene.resume([], { env: UNASKED.env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toContain("had finished START.md before the resume");
    expect(scene.api.turns.map((turn) => turn.prompt)).toEqual(["Alpha.", "Alpha.", "Beta."]);
    expect(await counted(scene)).toBe(scene.api.charged);
  });

  it.each(["Alpha.", "Beta."])(
    "what it has finished counts, though the clock was set back by a day meanwhile (%s)",
    async (asked) => {
      const working = (then: string) => runs("sleep 1", says(then, DEAR), DEAR);
      const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
        [
          "Alpha",
          asked === "Alpha." ? working("<goto>NEXT</goto>") : says("<goto>NEXT</goto>", DEAR),
        ],
        ["Beta", asked === "Beta." ? working("<result>end</result>") : END],
      ]);
      const clock = path.join(scene.project.home, "clock");
      await writeFile(clock, String(24 * 3_600_000));
      // raymond is ahead of its client by a day, as if the clock were set back after the start of the step.
      const ahead = { main: CHAOS_MAIN, env: { ...UNASKED.env, [CLOCK_FILE]: clock } };
      await orphan(scene, asked, undefined, true, ahead);
      await gone(scene);

      const end = await scene.resume([], { env: UNASKED.env });

      expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
      expect(end.stderr).toContain("had finished");
      expect(scene.api.turns).toHaveLength(3);
      expect(await counted(scene)).toBe(scene.api.charged);
    },
  );

  it("an interrupted answer is continued by a note and counted, though its start was never saved", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", runs(ENDLESS, END, DEAR)],
      [/interrupted/, says("<goto>NEXT</goto>", DEAR)],
      ["Beta", END],
    ]);
    await orphan(scene, "Alpha.");
    await scene.project.fileWith("started");

    const end = await scene.resume([], { env: UNASKED.env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns).toHaveLength(3);
    const [alpha, note] = scene.api.turns;
    expect(note?.session).toBe(alpha?.session);
    expect(note?.prompts.filter((text) => text === "Alpha.")).toHaveLength(1);
    expect(await counted(scene)).toBe(scene.api.charged);
  });

  it("what the client's lost files held is sent again as a whole, with its pending result", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "CHILD.sh": "echo '<result>found</result>'\n",
        "BACK.md": "Beta: {{result}}",
      },
      [
        ["Alpha", says('<call return="BACK">CHILD.sh</call>', DEAR)],
        ["Beta", runs(ENDLESS, END, DEAR), END],
        [/./, says("<result>not found</result>")],
      ],
    );
    await orphan(scene, "Beta: found", "started", true);
    killMarked(await scene.project.orphans());
    const projects = path.join(scene.project.home, ".claude", "projects");
    await rm(projects, { recursive: true, maxRetries: 40, retryDelay: 25 });

    const end = await scene.resume([], { env: UNASKED.env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Alpha.", "Beta: found"]);
    expect(await counted(scene)).toBe(scene.api.charged);
  });
});

/** Kills raymond as soon as its client has sent this, has created a file, or raymond has saved the reported tokens. */
async function orphan(
  scene: Scene,
  asked: string,
  file?: string,
  saved = false,
  how: Parameters<Scene["begin"]>[1] = { env: UNASKED.env },
): Promise<void> {
  const running = scene.begin(UNASKED.args, how);
  await scene.api.arrival((turn) => turn.prompt === asked);
  if (file !== undefined) await scene.project.fileWith(file);
  if (saved) {
    await until("the reported tokens to be saved", async () =>
      JSON.stringify((await scene.document()).agents).includes('"spend"') ? true : undefined,
    );
  }
  running.kill("SIGKILL");
  await running.exit;
}

/** Resolves when nothing of the run lives any more. */
async function gone({ project }: Scene): Promise<void> {
  await until("the orphans to end", async () => {
    return (await project.orphans()).length === 0 ? true : undefined;
  });
}

/** What the run says that it has cost, with what it has estimated, micro-dollars. */
async function counted(scene: Scene): Promise<number> {
  const { total_cost_usd, totals } = await scene.document();
  return Math.round((total_cost_usd + totals.estimated_usd) * 1e6);
}
