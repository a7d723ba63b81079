import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Ask,
  macHost,
  parseBootSession,
  parsePlatformUuid,
} from "../../../src/process/platform/mac-host.ts";

const BOOT = "5E6FFEBE-0C5B-4F0E-9C38-6D1D8A3F2B11";
const MACHINE = "8A253738-CE9B-5032-9D00-93CB32E6BDB1";

/** What `ioreg -rd1 -c IOPlatformExpertDevice` prints on a laptop, shortened. */
const REGISTRY = `+-o J314sAP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (62 ms), retain 38>
    {
      "IOPolledInterface" = "AppleARMWatchdogTimerHibernateHandler is not serializable"
      "#address-cells" = <02000000>
      "serial-number" = <4331323334353637383930313200000000000000000000000000000000000000>
      "platform-name" = <743630303000000000000000000000000000000000000000000000000000000>
      "name" = <"device-tree">
      "manufacturer" = <"Apple Inc.">
      "IOPlatformSerialNumber" = "C12345678901"
      "IOPlatformUUID" = "${MACHINE}"
      "model" = <"MacBookPro18,3">
    }
`;

const ANSWERS: Readonly<Record<string, string>> = {
  "/usr/sbin/sysctl -n kern.bootsessionuuid": `${BOOT}\n`,
  "/usr/sbin/sysctl -n kern.hv_vmm_present": "0\n",
  "/usr/sbin/ioreg -rd1 -c IOPlatformExpertDevice": REGISTRY,
};

/** A Mac that answers so, but for the changes. */
function mac(changes: Readonly<Record<string, string | null>> = {}): Ask {
  const answers: Readonly<Record<string, string | null>> = { ...ANSWERS, ...changes };
  return (command, args) => Promise.resolve(answers[[command, ...args].join(" ")] ?? null);
}

describe("macHost", () => {
  it("asks the system's own tools for the boot and the machine", async () => {
    expect(await macHost(mac())).toEqual({ boot: BOOT, machine: MACHINE, hardware: true });
  });

  it("marks the id of a virtual machine as not unique", async () => {
    const virtual = mac({ "/usr/sbin/sysctl -n kern.hv_vmm_present": "1\n" });

    expect(await macHost(virtual)).toMatchObject({ machine: MACHINE, hardware: false });
  });

  it("returns null if the tools are missing or fail", async () => {
    const nothing = { boot: null, machine: null, hardware: false };

    expect(await macHost(() => Promise.resolve(null))).toEqual(nothing);
    // No Mac has these tools at this place.
    if (process.platform !== "darwin") expect(await macHost()).toEqual(nothing);
  });
});

describe("the output of the tools", () => {
  it("must contain a UUID", () => {
    expect(parseBootSession(`${BOOT.toLowerCase()}\n`)).toBe(BOOT);
    expect(parseBootSession("unknown oid 'kern.bootsessionuuid'\n")).toBeNull();
    expect(parsePlatformUuid('  "IOPlatformUUID" = "?"\n')).toBeNull();
    expect(parsePlatformUuid(`| "IOPlatformUUID" = "${MACHINE}"`)).toBe(MACHINE);
    expect(parsePlatformUuid(`"x" = "its \\"IOPlatformUUID\\" = "${MACHINE}"`)).toBeNull();
  });

  it("never causes an exception", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseBootSession(text)).toBeNull();
        expect(parsePlatformUuid(text)).toBeNull();
      }),
    );
  });
});
