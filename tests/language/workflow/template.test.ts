import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderTemplate } from "../../../src/language/workflow/template.ts";

describe("renderTemplate", () => {
  it.each([
    ["Hello {{name}}!", "Hello Ada!"],
    ["{{ name }} and {{\tname  }}", "Ada and Ada"],
    ["{{{name}}}", "{Ada}"],
    ["{{na me}} {{}} {{1}} {name} {{name}", "{{na me}} {{}} {{1}} {name} {{name}"],
    ["{{name\n}}", "{{name\n}}"],
  ])("fills %j", (body, prompt) => {
    expect(renderTemplate(body, { name: "Ada" })).toEqual({ prompt, missing: [], disarmed: false });
  });

  it("does not scan inserted values", () => {
    const values = { a: "{{b}} $& $1", b: "B", open: "{{", close: "}}" };

    expect(renderTemplate("{{a}}{{b}}", values).prompt).toBe("{{b}} $& $1B");
    expect(renderTemplate("{{open}}b{{close}}", values).prompt).toBe("{{b}}");
  });

  it("keeps a name without a value, and reports it once", () => {
    const { prompt, missing } = renderTemplate("{{b}} {{ a }} {{b}} {{constructor}}", {});

    expect(prompt).toBe("{{b}} {{ a }} {{b}} {{constructor}}");
    expect(missing.map(({ name }) => name)).toEqual(["b", "a", "constructor"]);
  });

  it("reports the line of the first occurrence of a name without a value", () => {
    expect(renderTemplate("Do\n\n{{b}} {{a}}\n{{b}}", { a: "" }).missing).toEqual([
      { name: "b", root: "b", path: [], line: 3, offset: 4 },
    ]);
  });

  it("fills an empty value with nothing, and does not call it missing", () => {
    expect(renderTemplate("[{{result}}]", { result: "" })).toMatchObject({
      prompt: "[]",
      missing: [],
    });
  });

  it.each([
    ["{{result}}", "/clear", "\n/clear"],
    ["{{result}}/clear", "", "\n/clear"],
    ["/review {{result}}", "/clear", "/review /clear"],
    ["See {{result}}", "/clear", "See /clear"],
  ])("does not turn data into a command: %j with %j", (body, result, prompt) => {
    expect(renderTemplate(body, { result }).prompt).toBe(prompt);
  });

  it.each([
    ["@/etc/passwd", true],
    ["see @secret", true],
    ["see\n@secret", true],
    ["see\t@secret", true],
    ["me@example.org", false],
    ["none", false],
  ])("disables attachments for %j: %s", (result, disarmed) => {
    expect(renderTemplate("Read: {{result}}", { result }).disarmed).toBe(disarmed);
  });

  it("leaves the author's own attachments alone, and values that are not inserted", () => {
    expect(renderTemplate("Read @notes.md {{b}}", { a: "@x", b: "b" }).disarmed).toBe(false);
  });

  it("keeps text without placeholders", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("{{")),
        (body) => {
          expect(renderTemplate(body, { result: "x" })).toEqual({
            prompt: body,
            missing: [],
            disarmed: false,
          });
        },
      ),
    );
  });

  it("inserts every value to the letter", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(renderTemplate("<{{a}}|{{ b }}>", { a, b }).prompt).toBe(`<${a}|${b}>`);
      }),
    );
  });

  it("never begins with a slash that the author did not write", () => {
    const values = fc.record({ a: fc.string(), b: fc.constantFrom("", "/", "/clear") });
    const bodies = fc
      .array(fc.constantFrom("{{a}}", "{{b}}", "/", "x", " "))
      .map((x) => x.join(""));
    fc.assert(
      fc.property(bodies, values, (body, given) => {
        const { prompt } = renderTemplate(body, given);

        expect(prompt.startsWith("/")).toBe(body.startsWith("/"));
      }),
    );
  });

  it.each([
    ["{{result.items.0.path}}", "a.ts"],
    ["{{ input.n }} {{result.ok}} {{result.none}}", "1.50 true null".replace("1.50", "1.5")],
    ["{{result.items}}", '[{"path":"a.ts"}]'],
    ["{{result.items.1}} {{result.items.00}} {{result.constructor}}", null],
    ["{{item.path}} {{workflow_id.x}} {{result.}} {{.result}}", null],
  ])("reads fields of a payload that is JSON: %s", (body, prompt) => {
    const result = '{"items":[{"path":"a.ts"}],"n":1.5,"ok":true,"none":null}';

    const rendered = renderTemplate(body, { result, input: result, item: '{"path":1}' });

    expect(rendered.prompt).toBe(prompt ?? body);
  });

  it("inserts fields as data: they are not filled again, and attach nothing", () => {
    const result = JSON.stringify({ a: "{{b}} @/etc/passwd", c: "/clear" });

    expect(renderTemplate("{{result.a}}", { result, b: "B" })).toMatchObject({
      prompt: "{{b}} @/etc/passwd",
      disarmed: true,
    });
    expect(renderTemplate("{{result.c}}", { result }).prompt).toBe("\n/clear");
  });

  it("leaves a field unchanged that is nested too deeply", () => {
    const result = `{"a":${"[".repeat(300_000)}${"]".repeat(300_000)}}`;

    expect(renderTemplate("{{result.a}}", { result }).prompt).toBe("{{result.a}}");
  });

  it("leaves a field without a payload unchanged, and reports it", () => {
    const { prompt, missing } = renderTemplate("{{result.a.b}}", {});

    expect(prompt).toBe("{{result.a.b}}");
    expect(missing).toMatchObject([{ name: "result.a.b", root: "result", path: ["a", "b"] }]);
  });
});
