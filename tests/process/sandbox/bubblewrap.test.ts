import { describe, expect, it } from "vitest";
import { bubblewrapArgs, type SandboxPaths } from "../../../src/process/sandbox/bubblewrap.ts";

const NOTHING: SandboxPaths = {
  ...{ cwd: "/p", readable: [], writable: [], protected: [], hidden: ["/run", "/tmp"], masked: [] },
};

/** The mounts in their order. */
function mounts(paths: Partial<SandboxPaths>): string {
  const args = bubblewrapArgs({ ...NOTHING, ...paths }, true).join(" ");
  return args.replace(/^.*--ro-bind \/ \/ /, "").replace(/ --setenv.*$/, "");
}

const SYSTEM = "--dev /dev --proc /proc --tmpfs /run --tmpfs /tmp";

describe("bubblewrapArgs", () => {
  it("mounts each folder on the way to a protected path, parents first", () => {
    expect(mounts({ writable: ["/p"], protected: ["/p/a/b/flow", "/p/a/b/flow/x"] })).toBe(
      `--bind /p /p ${SYSTEM} --bind /p/a /p/a --bind /p/a/b /p/a/b --ro-bind /p/a/b/flow /p/a/b/flow`,
    );
  });

  it("never makes a path inside of a protected one writable", () => {
    expect(mounts({ writable: ["/p", "/p/flow/out"], protected: ["/p/flow"] })).toBe(
      `--bind /p /p ${SYSTEM} --ro-bind /p/flow /p/flow`,
    );
  });

  it("mounts no folder over a hidden one", () => {
    expect(mounts({ cwd: "/run", writable: ["/", "/run/x"] })).toBe(
      `--bind / / ${SYSTEM} --bind /run/x /run/x`,
    );
  });

  it("shows paths inside of hidden folders, and mounts no others", () => {
    const paths = { cwd: "/tmp/p/sub", readable: ["/tmp/flow", "/etc/x", "/tmp/p/y"] };
    expect(mounts({ ...paths, writable: ["/tmp/p"] })).toBe(
      `${SYSTEM} --ro-bind /tmp/flow /tmp/flow --bind /tmp/p /tmp/p`,
    );
  });

  it("replaces a masked path by an empty one, which cannot be moved", () => {
    const masked = [
      { path: "/p/.git/hooks", isFolder: true },
      { path: "/p/.git/config", isFolder: false },
    ];
    expect(mounts({ writable: ["/p"], masked })).toBe(
      `--bind /p /p ${SYSTEM} --bind /p/.git /p/.git --tmpfs /p/.git/hooks --ro-bind /dev/null /p/.git/config`,
    );
  });
});
