import { expect, it } from "vitest";
import { leftWords } from "../../../../src/cli/commands/inspect/attach.ts";

const watched = { id: "one", program: "raymond" };
const holder = {
  host: "far",
  pid: 7,
  identity: "7 x",
  startedAt: "",
  visible: true,
  lastSeenAt: "",
};

it("says that a run continues only if its process can be checked", () => {
  const again = "Watch it again with: raymond attach one";
  expect(leftWords({ ...watched, holder })).toBe(`one continues. ${again}`);
  expect(leftWords({ ...watched, holder: { ...holder, visible: false } })).toBe(
    `one is unchanged. ${again}`,
  );
});
