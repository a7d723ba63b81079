import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { type Answer, says } from "../support/client/messages-answer.ts";
import type { Turn } from "../support/client/messages-turn.ts";
import { type Scene, setScene } from "./scene.ts";

const HANGS: Answer = { kind: "hang" };
const DONE = says("<result>done</result>");

const about = (item: string) => (turn: Turn) =>
  turn.prompts.some((text) => text.includes(`Item ${item}.`));

/** Commands show the history of a run without a look into its files (docs/history.md). */
describe.each(CLIENT_VERSIONS)("of a run of four agents on the client %s", (client) => {
  it("shows that it was killed, resumed, and failed at one step", async () => {
    const scene = await setScene(
      client,
      {
        "START.sh": `for item in ash elm oak; do echo "<fork item='$item'>WORK</fork>"; done
echo "<join>END</join>"
`,
        "WORK.md": "Item {{item}}.",
        "END.sh": 'echo "<result>end</result>"\n',
      },
      [
        [about("ash"), DONE],
        [about("elm"), HANGS, DONE],
        [about("oak"), HANGS, says("I have no tag.")],
      ],
    );
    const print = async (...words: readonly string[]) => (await scene.raymond(...words)).stdout;

    await killed(scene);
    const crashed = await print("why", "r1");
    const cutOff = await print("show", "r1");
    const again = scene.resumed();
    await again.waitForStderr(/run r1 resumed/);
    const followed = await print("logs", "r1", "-f");
    const end = await again.exit;

    expect(crashed).toMatch(/^r1: crashed\. No process runs it any more\./);
    expect(crashed).toContain("main_work2 at WORK.md: was in step");
    expect(crashed).toContain("raymond resume r1");
    expect(cutOff.match(/was cut off/g)).toHaveLength(2);
    expect(end.exitCode).toBe(1);
    expect(followed).toMatch(
      /run r1 resumed[\s\S]*main_work3[\s\S]*! failed at WORK\.md: No transition tag/,
    );

    const why = await print("why", "r1");
    expect(why).toMatch(/^r1: failed\. No transition tag found\. main_work3 at WORK\.md: failed/);
    expect(why).toContain("I have no tag.");
    expect(why).toContain("raymond resume r1");
    const steps = await print("show", "r1", "--agent", "main_work3");
    expect(steps).toMatch(/was cut off[\s\S]*! failed/);
    const last = /^ *(\d+) .*! failed/m.exec(steps)?.[1] ?? "";
    const step = await print("show", "r1", last);
    expect(step).toContain("I have no tag.");
    expect(step).toMatch(/claude\S* --resume /);
    const page = await print("report", "r1");
    expect(page).toMatch(/^# r1: failed[\s\S]*main_work3/);
    await print("report", "r1", "-o", "page.html");
    expect(await scene.project.read("page.html")).toContain("No transition tag found");
  });
});

/** Killed while two of the workers wait for an answer that does not come, and the third has ended. */
async function killed(scene: Scene): Promise<void> {
  const life = scene.begin();
  await Promise.all([scene.api.arrival(about("elm")), scene.api.arrival(about("oak"))]);
  // The log comes after the state: a kill in between would take the end of the third from what is shown.
  await scene.project.fileWith(".raymond/runs/r1/events.jsonl", (text) =>
    /"type":"agent\.ended".*"agent":"main_work1"/.test(text),
  );
  life.kill("SIGKILL");
  await life.exit;
}
