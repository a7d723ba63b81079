import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

describe("raymond pack", () => {
  it("makes a zip whose run is that of the folder, with the files that scripts need", async () => {
    const { project, bash, raymond } = await scene({
      "flow/START.sh": 'echo "<result>$(bash "$RAYMOND_STATE_DIR/lib/say.sh")</result>"\n',
      "flow/lib/say.sh": "echo carried along\n",
      "flow/.notes": "mine",
      "flow/flow.sim.yaml": "states: {}\n",
      "flow/flow.test.yaml": "tests: {}\n",
      "flow/lib/data.test.yaml": "kept: true\n",
    });

    const packed = await raymond("pack flow --output flow.zip --json");
    const result = JSON.parse(packed.stdout) as { readonly sha256: string };
    const named = await raymond("pack flow");

    expect(result).toMatchObject({
      files: ["START.sh", "lib/data.test.yaml", "lib/say.sh"],
      left_out: [".notes", "flow.sim.yaml", "flow.test.yaml"],
    });
    expect(named.stdout).toBe(`flow-${result.sha256}.zip\n`);
    expect(named.stderr).toContain("Left out (hidden files, tests, simulations): .notes, ");
    await bash("rm -r flow");
    for (const file of ["flow.zip", named.stdout.trim()]) {
      expect(await raymond(file)).toMatchObject({ exitCode: 0, stdout: "carried along\n" });
    }
    await expect(project.read("flow/START.sh")).rejects.toThrow("ENOENT");
  });

  it("refuses a workflow that a run would refuse, and writes nothing", async () => {
    const rule = "---\nallowed_transitions: [{ tag: goto, target: GONE }]\n---\nContinue.\n";
    const { bash, raymond } = await scene({
      "flow/START.sh": "echo '<goto>NEXT</goto>'\n",
      "flow/NEXT.md": rule,
    });

    const refused = await raymond("pack flow");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("GONE");
    expect((await raymond("pack nothing")).exitCode).toBe(7);
    expect((await bash("ls")).stdout).toBe("flow\n");
  });
});
