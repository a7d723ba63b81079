import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

const CALL = '<call-workflow return="BACK">lib</call-workflow>';
const FUNCTION = '<function-workflow return="BACK">lib</function-workflow>';

/** The messages that a model receives in a called workflow (docs/protocol.md, "Other workflows"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  const files = (tag: string) => ({
    "START.md": prompt("Alpha.", `{ tag: ${tag}, target: lib, return: BACK }`),
    "BACK.md": "Delta {{result}}.",
    "lib/START.md": "Beta in {{state_dir}}.",
    "lib/ASK.sh": `echo '<ask next="GOT" options="yes|no">Good?</ask>'\n`,
    "lib/GOT.md": "Gamma {{input}}.",
  });
  const table = (tag: string) =>
    [
      ["Delta", says("<result>end</result>")],
      ["Gamma", says("<result>so it is</result>")],
      ["Beta", says("<goto>ASK</goto>")],
      [/./, says(tag)],
    ] as const;

  it("a called workflow branches the conversation, asks a person, and returns to the one that called", async () => {
    const scene = await setScene(client, files("call-workflow"), table(CALL));

    const parked = await scene.run();
    expect(parked.exitCode).toBe(3);
    expect(parked.stderr).toContain("Good?");
    const end = await scene.raymond("answer", "yes", "--resume");

    expect(end).toMatchObject({ exitCode: 0, stdout: "Answered main of r1: yes\nend\n" });
    const prompts = scene.api.turns.map((turn) => turn.prompts);
    const beta = expect.stringMatching(/^Beta in .*\/lib\.$/) as string;
    expect(prompts).toEqual([
      ["Alpha."],
      ["Alpha.", beta],
      ["Alpha.", beta, "Gamma yes."],
      ["Alpha.", "Delta so it is."],
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("a workflow that is called as a function knows nothing of its caller", async () => {
    const scene = await setScene(client, files("function-workflow"), table(FUNCTION));

    await scene.run();
    const end = await scene.raymond("answer", "yes", "--resume");

    expect(end).toMatchObject({ exitCode: 0, stdout: "Answered main of r1: yes\nend\n" });
    const prompts = scene.api.turns.map((turn) => turn.prompts);
    const beta = expect.stringMatching(/^Beta in .*\/lib\.$/) as string;
    expect(prompts).toEqual([
      ["Alpha."],
      [beta],
      [beta, "Gamma yes."],
      ["Alpha.", "Delta so it is."],
    ]);
  });
});
