import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { type Answer, says } from "../support/client/messages-answer.ts";
import type { Turn } from "../support/client/messages-turn.ts";
import { STATE_FILE, setScene } from "./scene.ts";

const HANGS: Answer = { kind: "hang" };

/** Whether a conversation is about this item, whatever was said in it last. */
const about = (item: number) => (turn: Turn) =>
  turn.prompts.some((text) => text.includes(`Item ${String(item)}.`));

/** Waits that cost no process (docs/protocol.md, "Joins" and "Delays"), as the API sees them. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("joins ten workers of one output, of which two fail, and is killed twice meanwhile", async () => {
    const scene = await setScene(
      client,
      {
        "START.sh": `for item in 1 2 3 4 5 6 7 8 9 10; do
  echo "<fork item='$item' on_error='report'>WORK</fork>"
done
echo "<join>MERGE</join>"
`,
        "WORK.md": "Item {{item}}.",
        "MERGE.sh": 'echo "<result>$(cat "$RAYMOND_RESULT_FILE")</result>"\n',
      },
      [
        [about(3), says("I have no tag.")],
        [about(7), says("I have no tag.")],
        [about(5), HANGS, HANGS, says("<result>done</result>")],
        [/./, says("<result>done</result>")],
      ],
    );
    const parallel = ["--max-parallel", "3"];
    const lives = [() => scene.begin(parallel), () => scene.resumed(parallel)];
    for (const [killed, begin] of lives.entries()) {
      const life = begin();
      await scene.api.arrival(
        (turn) => about(5)(turn) && scene.api.turns.filter(about(5)).length > killed,
      );
      life.kill("SIGKILL");
      await life.exit;
    }

    const end = await scene.resume(parallel);

    expect(end.exitCode).toBe(0);
    const entries = JSON.parse(end.stdout) as readonly { readonly ok: boolean }[];
    const failed = [false, false, true, false, false, false, true, false, false, false];
    expect(entries.map(({ ok }) => !ok)).toEqual(failed);
    // Beside each kill at most three were at work, and are asked again.
    const { turns, charged } = scene.api;
    expect(turns.length).toBeLessThanOrEqual(10 + 2 * 3);
    // The two that do not hang may have received an answer that their client had neither reported nor written.
    const untold = 2 * 2 * 4_500;
    expect((await scene.spend()).all).toBeGreaterThanOrEqual(charged - untold);
  });

  it("waits for a delay without a client, and continues in the same conversation", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "LOOK.sh": 'echo "<goto>REPORT</goto>"\n', "REPORT.md": "Beta." },
      [
        ["Alpha", says('<goto delay="2s">LOOK</goto>')],
        ["Beta", says("<result>end</result>")],
      ],
    );
    const running = scene.begin();
    await scene.project.fileWith(STATE_FILE, (text) => text.includes('"kind": "delay"'));

    const meanwhile = await scene.project.orphans();
    const end = await running.exit;

    expect(meanwhile.map(({ pid }) => pid)).toEqual([running.pid]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.map(({ prompts }) => prompts)).toEqual([
      ["Alpha."],
      ["Alpha.", "Beta."],
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});
