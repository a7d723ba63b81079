import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

// Alone in its file: it waits for real, about 13 seconds.
describe("a client that dies again and again", () => {
  it("fails after three retries with backoff, and a resume starts again", async () => {
    const { raymond, calls } = await scene({ "w/START.md": "Do it." }, [
      { do: "die-before-init", times: 4 },
      { say: "<result>done</result>" },
    ]);

    const failed = await raymond("w --workflow-id one");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("! crashed, retry 3 in");
    expect(failed.stderr).toContain("Tried 4 times.");
    expect(await calls()).toHaveLength(4);
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });
});
