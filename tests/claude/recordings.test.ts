import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

/** What a run of the real client has recorded (docs/testing.md, "Creating a test from a run" and "Replay"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("replays a run, turns it into a test that passes, and says where an edit departs from it", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": prompt("Alpha.", "{ tag: function, target: ASIDE, return: BACK }"),
        "ASIDE.md": prompt("Beta.", "{ tag: result }"),
        "BACK.md": prompt("Gamma {{result}}.", "{ tag: result }", "{ tag: goto, target: START }"),
      },
      [
        ["Gamma", says("<result>end</result>")],
        ["Beta", says("I forgot.")],
        ["transition", says("<result>now</result>")],
        ["Alpha", says("Well.")],
      ],
    );
    const { project } = scene;
    expect(await scene.run()).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const spent = `$${((await scene.cost()) / 1e6).toFixed(4)}`;

    expect(await raymond(["replay", "r1"], { project })).toMatchObject({
      exitCode: 0,
      stdout: `r1 would not change: 4 attempts, ${spent}.\n`,
    });
    expect(await raymond(["test", "--from-run", "r1"], { project })).toMatchObject({ exitCode: 0 });
    expect(await raymond(["test"], { project })).toMatchObject({ exitCode: 0 });
    const written = await project.read("r1.test.yaml");
    expect(written).toContain("path: [START, ASIDE, BACK]");
    expect(written).toContain("- reply: I forgot.");

    await project.write("BACK.md", prompt("Delta {{result}}.", "{ tag: result }"));
    const edited = await raymond(["replay", "r1"], { project });
    expect(edited.exitCode).toBe(1);
    expect(edited.stdout).toContain("r1 diverges in BACK.md: main, step 4.\n");
    expect(edited.stdout).toContain("  - Gamma now.\n  + Delta now.\n");
    expect(edited.stdout).toContain("Valid up to there: 3 of 4 attempts, ");
  });
});
