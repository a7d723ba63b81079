import { describe, expect, it } from "vitest";
import { type HostIdentity, isVisible, thisHost } from "../../../src/storage/lock/host-identity.ts";

const HERE: HostIdentity = { host: "here", machine: "m", boot: "b", namespace: "n" };
const MAC: HostIdentity = { host: "mac", machine: "hardware:m", boot: "b", namespace: null };
const BARE: HostIdentity = { host: "here", machine: null, boot: null, namespace: null };

describe("a process that holds a run", () => {
  it.each<[string, HostIdentity, Partial<HostIdentity>]>([
    ["on this machine, of whatever name by then", HERE, { host: "there" }],
    ["before a reboot of this machine", HERE, { boot: "before", namespace: "other" }],
    ["on this Mac, in another network", MAC, { host: "mac.fritz.box" }],
    ["before this Mac was renamed and booted", MAC, { host: "old", boot: "before" }],
    ["on this Mac, without a boot id", MAC, { boot: null }],
    ["on a host of this name, where nothing else is known", BARE, {}],
  ])("can be looked up when it runs %s", (_, here, there) => {
    expect(isVisible({ ...here, ...there }, here)).toBe(true);
  });

  it.each<[string, HostIdentity, Partial<HostIdentity>]>([
    ["on another machine of this name", HERE, { machine: "other" }],
    ["on another machine of this name and boot", MAC, { machine: "hardware:other" }],
    ["in another container of this machine", HERE, { namespace: "other" }],
    ["on a copy of this machine", HERE, { host: "there", boot: "other" }],
    ["on a machine without an id", HERE, { machine: null }],
    ["on a Mac without an id", MAC, { machine: null, boot: null }],
    ["on a host of another name, where nothing else is known", BARE, { host: "there" }],
  ])("cannot be looked up when it runs %s", (_, here, there) => {
    expect(isVisible({ ...here, ...there }, here)).toBe(false);
  });
});

describe("thisHost", () => {
  it("keeps the machine's id of a Mac to itself", async () => {
    const mac = (hardware: boolean) =>
      thisHost("darwin", () => Promise.resolve({ boot: "B", machine: "M", hardware }));

    const { host, machine, boot, namespace } = await mac(true);

    expect(host).not.toBe("");
    expect({ boot, namespace }).toEqual({ boot: "B", namespace: null });
    expect(machine).toMatch(/^hardware:[0-9a-f]{16}$/);
    expect((await mac(false)).machine).toBe(machine?.slice("hardware:".length));
  });

  it("identifies a Mac without ids by its host name", async () => {
    const place = await thisHost("darwin", () =>
      Promise.resolve({ boot: null, machine: null, hardware: false }),
    );

    expect(place).toMatchObject({ machine: null, boot: null, namespace: null });
  });
});
