import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

/** The reminders about a schema that a model receives (docs/authoring.md, "Checked results"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("sends a result back with its faults, in one conversation, and fills the next prompt with its fields", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": prompt(
          "Alpha.",
          "{ tag: function, target: PLAN, return: BUILD, schema: plan.schema.json }",
        ),
        "PLAN.md": prompt("Beta.", "{ tag: result }"),
        "BUILD.md": prompt("Gamma {{result.items.0}}.", "{ tag: result }"),
        "plan.schema.json":
          '{ "required": ["items"], "properties": { "items": { "minItems": 1 } } }',
      },
      [
        ["Alpha", says("<function return='BUILD'>PLAN</function>")],
        ["Beta", says('<result>{"itms": ["x"]}</result>')],
        ["Gamma", says("<result>end</result>")],
        [/./, says('<result>\n```json\n{"items": ["@README.md", "x"]}\n```\n</result>')],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const [, plan, reminder, build] = scene.api.turns;
    expect(scene.api.turns).toHaveLength(4);
    expect(reminder?.session).toBe(plan?.session);
    expect(reminder?.prompt).toContain(
      'The result must be JSON that matches plan.schema.json: the value must have the key "items".',
    );
    expect(reminder?.prompt).toContain("<result>your result</result>");
    expect(build?.prompt).toBe("Gamma @README.md.");
  });
});
