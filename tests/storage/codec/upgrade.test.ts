import { describe, expect, it } from "vitest";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import { encodeRun } from "../../../src/storage/codec/state-document.ts";
import {
  STATE_VERSION,
  UPGRADES,
  type Upgrade,
  upgradeState,
} from "../../../src/storage/codec/upgrade.ts";
import { run } from "../../support/runs.ts";

/** Two changes of the format, as they would be appended to `UPGRADES`. */
const TWO: readonly Upgrade[] = [
  ({ waits, ...json }) => ({ ...json, wait: waits }),
  (json) => ({ ...json, visits: {} }),
];

describe("upgradeState", () => {
  it("has one upgrade per former version", () => {
    expect(UPGRADES).toHaveLength(STATE_VERSION - 1);
  });

  it("applies each upgrade after the version of the file", () => {
    expect(upgradeState({ version: 1, waits: "limit" }, TWO)).toEqual({
      version: 3,
      wait: "limit",
      visits: {},
    });
    expect(upgradeState({ version: 2, wait: null }, TWO)).toEqual({
      version: 3,
      wait: null,
      visits: {},
    });
  });

  it.each([[{ version: 3, waits: 1 }], [{ version: 4 }], [{ version: 0 }], [{ version: 1.5 }]])(
    "leaves %j unchanged",
    (json) => {
      expect(upgradeState(json, TWO)).toEqual(json);
    },
  );

  it.each([[null], [[]], ["visits"], [{}], [{ version: "1" }]])(
    "leaves %j, which has no version, unchanged",
    (json) => {
      expect(upgradeState(json, TWO)).toEqual(json);
    },
  );
});

describe("parseDocument", () => {
  it.each([2, 3, 4])("rejects version %i, which a build before 0.1.0 wrote", (version) => {
    const text = JSON.stringify({ ...encodeRun(run()), version });

    expect(() => parseDocument(text, "one.json")).toThrow(
      expect.objectContaining({
        code: "store/newer-state",
        message: `Cannot read one.json: it has version ${String(version)}, and this raymond supports version 1.`,
        hint: expect.stringContaining("start a new run") as string,
      }),
    );
  });
});
