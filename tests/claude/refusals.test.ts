import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { fails, limited, limitHeaders, says } from "../support/client/messages-answer.ts";
import { setScene } from "./scene.ts";

const END = says("<result>end</result>");
/** A subscription login: only subscriptions have usage limits. */
const SUBSCRIBED = { env: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "test" } };

/** What happens when the API does not answer (docs/claude.md, "Errors"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("a usage limit stops the run as paused when it must not wait", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", limited(inSeconds(3600))],
    ]);

    const end = await scene.run(["--no-wait"], SUBSCRIBED);

    expect(end).toMatchObject({ exitCode: 5, stdout: "" });
    expect(end.stderr).toContain("limit");
    const { status, stop_reason } = await scene.document();
    expect({ status, class: stop_reason?.class }).toEqual({ status: "paused", class: "limit" });
    expect(scene.api.turns).toHaveLength(1);
  });

  it("a usage limit that ends soon is waited for, and nothing is asked before", async () => {
    let resetsAt = 0;
    const asked: number[] = [];
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      [
        "Beta",
        () => {
          resetsAt = inSeconds(3);
          return limited(resetsAt);
        },
      ],
      [
        /./,
        () => {
          asked.push(Date.now());
          return END;
        },
      ],
    ]);

    const end = await scene.run([], SUBSCRIBED);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns).toHaveLength(3);
    expect(asked[0]).toBeGreaterThanOrEqual(resetsAt * 1000);
    expect(scene.api.turns.at(-1)?.prompts[0]).toBe("Alpha.");
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("a limit that is near is worth a line", async () => {
    const headers = limitHeaders("allowed_warning", inSeconds(3600));
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", says("<result>end</result>", { headers })],
    ]);

    const end = await scene.run([], SUBSCRIBED);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toMatch(/limit/i);
  });

  it("an outage pauses the run if it may not wait, and a resume continues it", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", fails(529)],
      [/./, END],
    ]);

    const stopped = await scene.run(["--no-wait"]);
    const end = await scene.resume();

    expect(stopped.exitCode).toBe(5);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("a connection that breaks is tried again", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", { kind: "reset" }],
      [/./, END],
    ]);

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns).toHaveLength(2);
  });

  it("a request that is refused fails the agent at once, with the API's words", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", fails(403, "the roof is on fire")],
    ]);

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 1, stdout: "" });
    expect(end.stderr).toContain("the roof is on fire");
    expect(await scene.document()).toMatchObject({
      status: "failed",
      agents: [{ status: "failed" }],
    });
    expect(scene.api.turns).toHaveLength(1);
  });

  it("without a login nothing starts, and the message says how to log in", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [["Alpha", END]]);

    const end = await scene.run([], { env: { ANTHROPIC_API_KEY: "" } });

    expect([1, 2]).toContain(end.exitCode);
    expect(end.stderr).toMatch(/not logged in/i);
    expect(end.stderr).toContain("ANTHROPIC_API_KEY");
    expect(scene.api.turns).toHaveLength(0);
  });
});

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
