import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { setScene } from "./scene.ts";

/** A conversation that grows (docs/authoring.md, "Long conversations"), as the API sees it. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("summarizes a conversation that exceeds the limit of the state, and continues in a new one", async () => {
    const usage = { input: 20_000, cacheRead: 100_000, cacheWrite: 5_000, output: 1_000 };
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "WORK.md": "---\nmax_context: 60%\non_context: HANDOFF\n---\nBeta {{input}}.",
        "HANDOFF.md": "Gamma for {{state}} with {{input}}.",
      },
      [
        ["Alpha", says('<goto input="the task">WORK</goto>', { usage })],
        ["Gamma", says('<reset input="the notes">WORK</reset>')],
        ["Beta", says("<result>end</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { turns } = scene.api;
    const [first] = turns.map(({ session }) => session);
    expect(turns.map(({ session, prompts }) => [session === first, prompts])).toEqual([
      [true, ["Alpha."]],
      [true, ["Alpha.", "Gamma for WORK.md with the task."]],
      [false, ["Beta the notes."]],
    ]);
    expect(end.stderr).toContain("has 126k tokens. The limit of WORK.md is 120k");
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});
