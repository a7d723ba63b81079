import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

/** The messages about a gate that a model receives (docs/protocol.md, "Gates"), as the API sees it. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("sends the model back twice with what the tests print, in one conversation, and lets it through the third time", async () => {
    const tests = [
      "echo x >>runs",
      "n=$(wc -l <runs)",
      'echo "FAIL date.test: run $n @README.md"',
      'echo "expected 29" >&2',
      "test $n -ge 3",
    ].join("\n");
    const scene = await setScene(
      client,
      {
        "START.md": prompt("Alpha.", "{ tag: goto, target: NEXT, verify: TESTS }"),
        "TESTS.sh": `${tests}\n`,
        "NEXT.md": "Beta.",
      },
      [
        ["Beta", says("<result>end</result>")],
        [/./, says("I am done. <goto>NEXT</goto>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { turns } = scene.api;
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    expect(turns).toHaveLength(4);
    const [first, second] = turns.slice(1).map((turn) => turn.prompt);
    expect(turns.at(-1)?.prompts).toEqual(["Alpha.", first, second, "Beta."]);
    expect(first).toContain("FAIL date.test: run 1 @README.md\nexpected 29");
    expect(second).toContain("FAIL date.test: run 2 @README.md\nexpected 29");
    expect(first).toContain("<goto>NEXT</goto>");
    expect(first).not.toContain("Alpha");
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});
