import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { setScene } from "./scene.ts";

/** A workflow in one file (docs/authoring.md, "Single-file workflows"), as the API sees it. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("runs the states of a single file, and keeps the conversation over a script", async () => {
    const flow = [
      "states:",
      "  START:",
      "    prompt: Alpha {{input}}.",
      "  COUNT:",
      "    sh: echo \"<goto input='counted $RAYMOND_RESULT'>END</goto>\"",
      "  END:",
      "    allowed_transitions:",
      "      - { tag: result }",
      "    prompt: Beta {{result}}.",
    ].join("\n");
    const scene = await setScene(
      client,
      { "flow.yaml": flow },
      [
        ["Alpha", says('<goto input="three">COUNT</goto>')],
        ["Beta", says("<result>end</result>")],
      ],
      "flow.yaml",
    );

    const end = await scene.run(["--input", "this"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { turns } = scene.api;
    expect(turns.map(({ prompts }) => prompts)).toEqual([
      ["Alpha this."],
      ["Alpha this.", "Beta counted three."],
    ]);
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});
