import { describe, expect, it } from "vitest";
import { isContainer, type MachineFacts, machineFacts } from "../../src/wire/container.ts";

/** A plain machine with systemd, but for what the test is about. */
function machine(changes: Partial<MachineFacts> = {}): MachineFacts {
  return { env: { HOME: "/home/u" }, files: [], cgroups: "0::/init.scope\n", ...changes };
}

describe("isContainer", () => {
  it.each<[string, Partial<MachineFacts>]>([
    ["IS_SANDBOX=1", { env: { IS_SANDBOX: "1" } }],
    ["a pod of Kubernetes", { env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } }],
    ["what Podman and LXC set", { env: { container: "podman" } }],
    ["the mark of Docker", { files: ["/.dockerenv"] }],
    ["the mark of Podman", { files: ["/run/.containerenv"] }],
    ["a control group of Docker", { cgroups: "12:pids:/docker/3f2a\n0::/docker/3f2a\n" }],
    ["a control group of a pod", { cgroups: "0::/kubepods/besteffort/pod1/2\n" }],
  ])("is detected by %s", (_, facts) => {
    expect(isContainer(machine(facts))).toBe(true);
  });

  it.each<[string, Partial<MachineFacts>]>([
    ["a plain machine", {}],
    ["another system", { cgroups: "" }],
    ["IS_SANDBOX=0", { env: { IS_SANDBOX: "0" } }],
    ["variables that are empty", { env: { KUBERNETES_SERVICE_HOST: "", container: "" } }],
  ])("is not what it takes %s for", (_, facts) => {
    expect(isContainer(machine(facts))).toBe(false);
  });
});

describe("machineFacts", () => {
  it("looks at this machine, whatever it is", async () => {
    const facts = await machineFacts({ IS_SANDBOX: "1" });

    expect(isContainer(facts)).toBe(true);
  });
});
