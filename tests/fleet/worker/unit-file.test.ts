import { describe, expect, it } from "vitest";
import { unitFile } from "../../../src/fleet/worker/unit-file.ts";

const printed = (changes: Partial<Parameters<typeof unitFile>[0]> = {}) =>
  unitFile({
    pools: ["default", "gpu"],
    slots: 4,
    machine: undefined,
    stepUser: undefined,
    policy: undefined,
    accounts: { file: undefined, names: [] },
    cwd: "/srv/ray mond",
    user: "ada",
    path: "/opt/100%/bin:/usr/bin",
    ...changes,
  });

describe("the systemd unit of a worker", () => {
  it("runs it as the current user, in the current folder, with the current PATH", () => {
    const lines = printed().split("\n");
    expect(lines).toContain("User=ada");
    expect(lines).toContain("WorkingDirectory=/srv/ray mond");
    expect(lines).toContain("Environment='PATH=/opt/100%%/bin:/usr/bin'");
    expect(lines.find((line) => line.startsWith("ExecStart="))).toMatch(
      / worker --pool default --pool gpu --slots 4$/,
    );
  });

  it("never runs it as root", () => {
    expect(printed({ user: "root" })).toContain("\nUser=raymond\n");
  });

  it("runs it as root only with a step user, and passes the URL as a credential", () => {
    const unit = printed({ stepUser: "steps" });
    expect(unit).toContain("\nUser=root\n");
    expect(unit).toMatch(/^ExecStart=.* --step-user steps$/m);
    expect(unit).toContain("\nLoadCredential=raymond-fleet:/etc/raymond/fleet\n");
  });

  it("terminates all its processes with it, and always restarts it", () => {
    expect(printed()).toContain("\nKillMode=control-group\n");
    expect(printed()).toContain("\nRestart=always\n");
  });
});
