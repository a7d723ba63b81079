import { expect, it } from "vitest";
import { leftWords } from "../../src/cli/attached-words.ts";

const watched = { id: "one", program: "raymond" };
const holder = { host: "far", pid: 7, identity: "7 x", startedAt: "", visible: true, heardAt: "" };

it("says of a run that it goes on only where that can be seen", () => {
  const again = "to watch it again: raymond attach one";
  expect(leftWords({ ...watched, holder })).toBe(`one goes on; ${again}`);
  expect(leftWords({ ...watched, holder: { ...holder, visible: false } })).toBe(
    `one is left as it is; ${again}`,
  );
});
