import { describe, expect, it } from "vitest";
import type { Ids } from "../../src/engine/ports/ids.ts";

/** The contract of `Ids`. `open` continues after another instance, as a resumed run does. */
export function describeIds(name: string, open: () => Ids): void {
  describe(`${name} as Ids`, () => {
    it("never returns an id twice", () => {
      const [first, resumed] = [open(), open()];

      const names = [first, resumed].flatMap((ids) =>
        Array.from({ length: 1_000 }, () => ids.session()),
      );

      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain("");
    });
  });
}
