import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { limited, says } from "../support/client/messages-answer.ts";
import { STATE_FILE, setScene } from "./scene.ts";

/** A subscription login: only subscriptions have usage limits. */
const SUBSCRIBED = { env: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "test" } };

const fork = (next: string, item: number) =>
  `echo '<fork next="${next}" item="${String(item)}">WORK</fork>'\n`;

/** Four agents, each with two prompts in one conversation. */
const FOUR_AGENTS = {
  "START.sh": fork("TWO", 1),
  "TWO.sh": fork("THREE", 2),
  "THREE.sh": fork("WORK", 3),
  "WORK.md": "Work {{item}}.",
  "MORE.md": "More.",
};

/** A short version of a night: four agents, one API, no user present. */
describe.each(CLIENT_VERSIONS)("a run of four agents with the client %s", (client) => {
  it("waits for the end of a usage limit across a kill, sends a notification, and counts the charged costs", async () => {
    let resetsAt = 0;
    const scene = await setScene(client, FOUR_AGENTS, [
      // The first request reaches the limit; earlier requests are answered.
      [
        /^Work/,
        () => {
          resetsAt = Math.ceil(Date.now() / 1000) + 8;
          return limited(resetsAt);
        },
        says("<goto>MORE</goto>"),
      ],
      ["More", says("<result>done</result>")],
      [/./, says("<goto>MORE</goto>")],
    ]);
    const args = ["--notify", "cat >>notified.jsonl"];
    const first = scene.begin(args, SUBSCRIBED);
    const waiting = await scene.project.fileWith("notified.jsonl", (text) =>
      text.includes("run.waiting"),
    );
    first.kill("SIGKILL");
    await first.exit;
    const { wait } = JSON.parse(await scene.project.read(STATE_FILE)) as {
      wait: { until: string };
    };

    const end = await scene.resume([], SUBSCRIBED);

    expect(waiting).toContain("run.waiting");
    expect(Date.parse(wait.until)).toBe(resetsAt * 1000);
    expect(end.exitCode).toBe(0);
    expect(Date.now()).toBeGreaterThanOrEqual(resetsAt * 1000);
    expect(await scene.document()).toMatchObject({ status: "completed", agents: [] });
    const notified = await scene.project.read("notified.jsonl");
    for (const type of ["run.waiting", "run.woke", "run.ended"]) expect(notified).toContain(type);
    // Killed attempts are estimated, and never counted as reported.
    expect(await scene.cost()).toBeLessThanOrEqual(scene.api.charged);
  });

  it("stops at its budget, loses nothing, and continues with a higher one", async () => {
    const scene = await setScene(client, FOUR_AGENTS, [
      [/^Work/, says("<goto>MORE</goto>")],
      ["More", says("<result>done</result>")],
    ]);

    // Eight answers at $0.0045 each.
    const stopped = await scene.run(["--budget", "0.02", "--max-parallel", "1"]);
    const between = await scene.cost();
    const end = await scene.resume(["--add-budget", "5"]);

    expect(stopped.exitCode).toBe(4);
    expect(between).toBe(22_500);
    expect(end.exitCode).toBe(0);
    expect(await scene.cost()).toBe(scene.api.charged);
    expect(scene.api.turns).toHaveLength(8);
    const { results } = await scene.document();
    expect(Object.values(results)).toEqual(["done", "done", "done", "done"]);
  });
});
