import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RaymondError } from "../../src/core/errors.ts";
import type { Scope } from "../../src/ports/scope.ts";

/** What every Scope promises. A new one is done when this suite is green for it. */
export function describeScope(
  name: string,
  open: (files: Readonly<Record<string, string>>) => Promise<Scope>,
): void {
  describe(`${name} as a Scope`, () => {
    it("names the states, sorted, and nothing else", async () => {
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

    it("gives a state as its author wrote it", async () => {
      const scope = await open({ "A.md": "Ä\n{{result}}\n\n", "B.sh": "# raymond: retries=2\n" });

      expect(await scope.load("A.md")).toMatchObject({ body: "Ä\n{{result}}\n\n" });
      expect(await scope.load("B.sh")).toMatchObject({ retries: 2 });
    });

    it("says where a state is", async () => {
      const scope = await open({ "A.md": "" });

      expect(path.isAbsolute(scope.dir)).toBe(true);
      expect(scope.path("A.md")).toBe(path.join(scope.dir, "A.md"));
      expect(path.isAbsolute(scope.source("A.md"))).toBe(true);
    });

    it.each(["B.md", "a.md", "A", "notes.txt", "", ".", "..", "__proto__", "toString"])(
      "refuses to read %j, which is no state",
      async (wanted) => {
        const scope = await open({ "A.md": "", "notes.txt": "secret" });

        await expect(scope.load(wanted)).rejects.toThrow(RaymondError);
      },
    );

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
