import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/engine/ports/scope.ts";
import { RaymondError } from "../../src/language/basics/errors.ts";

/** What every Scope promises. A new one is done when this suite is green for it. */
export function describeScope(
  name: string,
  open: (files: Readonly<Record<string, string>>) => Promise<Scope>,
): void {
  describe(`${name} as a Scope`, () => {
    it("lists the states, sorted, and nothing else", async () => {
      const scope = await open({
        "b.sh": "",
        "C.ps1": "",
        "A.md": "",
        "1_START.bat": "",
        "notes.txt": "",
        "UPPER.MD": "",
        "flow.sim.yaml": "",
      });

      expect(await scope.names()).toEqual(["1_START.bat", "A.md", "C.ps1", "b.sh"]);
    });

    it("parses a state", async () => {
      const scope = await open({ "A.md": "Ä\n{{result}}\n\n", "B.sh": "# raymond: retries=2\n" });

      expect(await scope.load("A.md")).toMatchObject({ body: "Ä\n{{result}}\n\n" });
      expect(await scope.load("B.sh")).toMatchObject({ retries: 2 });
    });

    it("returns the path of a state", async () => {
      const scope = await open({ "A.md": "" });

      expect(path.isAbsolute(scope.dir)).toBe(true);
      expect(scope.path("A.md")).toBe(path.join(scope.dir, "A.md"));
      expect(path.isAbsolute(scope.source("A.md"))).toBe(true);
    });

    it.each(["B.md", "a.md", "A", "notes.txt", "", ".", "..", "__proto__", "toString"])(
      "rejects %j, which is not a state",
      async (wanted) => {
        const scope = await open({ "A.md": "", "notes.txt": "secret" });

        await expect(scope.load(wanted)).rejects.toThrow(RaymondError);
      },
    );

    it("compiles the schemas next to the states, and no other file", async () => {
      const scope = await open({
        "A.md": "",
        "a.schema.json": '{ "type": "object" }',
        "b.json": "{}",
      });

      expect(await scope.schemas()).toEqual(["a.schema.json"]);
      const schema = await scope.schema("a.schema.json");
      expect(schema.check("{}")).toEqual([]);
      expect(schema.check("3")).toHaveLength(1);
      for (const name of [
        "b.json",
        "A.md",
        "none.schema.json",
        "../a.schema.json",
        "",
        "toString",
      ]) {
        await expect(scope.schema(name)).rejects.toThrow(RaymondError);
      }
    });

    it("refuses every name that leads elsewhere", async () => {
      const scope = await open({ "A.md": "" });
      const piece = fc.constantFrom("..", ".", "/", "\\", "\0", "A.md", "sub", "etc", ".md");

      await fc.assert(
        fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 6 }), async (pieces) => {
          await expect(scope.load(pieces.join(""))).rejects.toThrow(RaymondError);
        }),
      );
    });
  });
}
