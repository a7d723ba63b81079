import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { formatCheck } from "../../src/cli/commands/setup/doctor.ts";
import { claude } from "../../src/clients/claude/agent.ts";
import { printModeFindings, readLogin, readPrintMode } from "../../src/clients/claude/login.ts";
import { loginCheck } from "../../src/doctor/agents.ts";
import { checkClock } from "../../src/doctor/clock.ts";
import { checkConfiguration } from "../../src/doctor/configuration.ts";
import { checkFileSystem, checkMacVolume, checkSpace } from "../../src/doctor/file-system.ts";
import { checkPermissions, checkUser } from "../../src/doctor/permissions.ts";
import { checkBash, checkNode, checkPlatform } from "../../src/doctor/runtime.ts";
import { checkStateFolder } from "../../src/doctor/state-folder.ts";
import { UNSET } from "../../src/machine/decide/permissions.ts";
import { tempFolder } from "../support/folders.ts";

const GIB = 1024 ** 3;

/** What `/sbin/mount` prints on a Mac. */
const MOUNTS = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s6 on /System/Volumes/VM (apfs, local, noexec, journaled, noatime, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk4s1 on /Volumes/Stick (exfat, local, nodev, nosuid, noowners)
/dev/disk5s1 on /Volumes/Stick on desk (msdos, local, nodev, nosuid, noowners)
//ada@nas._smb._tcp.local/team on /Volumes/team (smbfs, nodev, nosuid, mounted by ada)
nas:/export on /net/build (nfs, nodev, nosuid, automounted)
`;

describe("doctor on the runtime", () => {
  it.each([
    ["20.19.0", "ok"],
    ["20.20.2", "ok"],
    ["26.0.0", "ok"],
    ["20.18.9", "fail"],
    ["18.20.0", "fail"],
  ])("judges Node %s: %s", (version, level) => {
    expect(checkNode(version, ">=20.19")).toMatchObject({ name: "node", level });
  });

  it.each([
    ["linux", "ok"],
    ["darwin", "ok"],
    ["win32", "warn"],
    ["freebsd", "warn"],
  ] as const)("judges the platform %s: %s", (platform, level) => {
    expect(checkPlatform(platform, "x64")).toMatchObject({ level });
  });

  it("fails without bash", () => {
    expect(checkBash("linux", "/bin/bash").level).toBe("ok");
    expect(checkBash("linux", null).level).toBe("fail");
    expect(checkBash("win32", null).level).toBe("ok");
  });

  it.each([
    ["1970-01-01T00:00:09Z", 0, "fail"],
    ["2150-01-01T00:00:00Z", 0, "fail"],
    ["2026-11-21T00:00:00Z", 0, "ok"],
    ["2026-11-21T00:00:00Z", -1_500, "ok"],
    ["2026-11-21T00:00:00Z", 3_600_000, "warn"],
    ["2026-11-21T00:00:00Z", -3_600_000, "warn"],
  ])("judges a clock that shows %s and was moved by %d ms: %s", (shown, drift, level) => {
    const wall = Date.parse(shown);
    expect(checkClock({ wall, monotonic: wall - drift })).toMatchObject({ level });
  });

  it("judges a clock that shows nothing", () => {
    expect(checkClock({ wall: Number.NaN, monotonic: 0 }).level).toBe("fail");
  });
});

describe("doctor on permissions", () => {
  const standing = {
    agent: claude,
    root: false,
    sandbox: false,
    contained: false,
    settings: UNSET,
    sourceOf: () => "/repo/.raymond/config.toml:3",
  };
  const skipping = { ...standing.settings, skipPermissions: true };

  it.each([
    ["an ordinary user", {}, "ok"],
    ["an ordinary user who skips permissions", { settings: skipping }, "ok"],
    ["root", { root: true }, "warn"],
    ["root who skips permissions", { root: true, settings: skipping }, "fail"],
    ["root in a sandbox", { root: true, sandbox: true, settings: skipping }, "ok"],
  ])("judges %s", (_, changes, level) => {
    expect(checkUser({ ...standing, ...changes })).toMatchObject({ level });
  });

  it("says what the model may do, and who has said so", () => {
    expect(checkPermissions(standing)).toMatchObject({ level: "ok" });
    expect(checkPermissions({ ...standing, settings: skipping })).toMatchObject({
      level: "warn",
      message: expect.stringContaining("config.toml:3") as unknown,
    });
    expect(checkPermissions({ ...standing, contained: true, settings: skipping }).level).toBe("ok");
    const allowed = { ...standing.settings, allowedTools: ["Bash(git *)"] };
    expect(checkPermissions({ ...standing, settings: allowed }).message).toContain(
      "Bash(git *) (by /repo/.raymond/config.toml:3)",
    );
    const limited = {
      ...standing.settings,
      permissions: "read-only",
      deny: ["read(.env)"],
    } as const;
    expect(checkPermissions({ ...standing, settings: limited }).message).toBe(
      "claude may read files and run commands that only read; changes of files and other commands are denied; never read(.env) (by /repo/.raymond/config.toml:3)",
    );
  });

  it.each([
    [{ loggedIn: true, authMethod: "api_key" }, {}, "ok"],
    [{ loggedIn: false }, {}, "fail"],
    [{}, {}, "warn"],
    [{}, { CLAUDE_CODE_USE_BEDROCK: "1" }, "ok"],
  ] as const)("judges a login %o with %o: %s", (status, env, level) => {
    expect(loginCheck(claude, readLogin(JSON.stringify(status), env))).toMatchObject({
      name: "login",
      level,
    });
  });

  it.each([
    [["Task", "Bash", "Edit", "Skill"], "full"],
    [["Bash", "Edit", "Read"], "bare"],
    [[], "unknown"],
  ] as const)("judges the mode of claude -p by its tools %o: %s", (tools, mode) => {
    const init = JSON.stringify({ type: "system", subtype: "init", tools });
    expect(readPrintMode(`noise\n{"type":"x"}\n${init}\n`)).toBe(mode);
    expect(readPrintMode("")).toBe("unknown");
  });

  it("warns about a client whose -p is --bare, and says what to do", () => {
    const of = (env: Readonly<Record<string, string>>) => printModeFindings("bare", env)[0];
    expect(of({})).toMatchObject({
      level: "warn",
      hint: expect.stringContaining("--bare") as string,
    });
    expect(of({ CLAUDE_CODE_SIMPLE: "1" })).toMatchObject({ hint: "Unset CLAUDE_CODE_SIMPLE." });
    expect(printModeFindings("full", {})).toEqual([]);
  });
});

describe("doctor on the configuration", () => {
  it("shows each value with its origin", async () => {
    const root = await tempFolder();
    const file = path.join(root, "config.toml");
    await writeFile(file, '[raymond]\nbudget = 3.5\ntimeout = "90s"\nbugdet = 1\n');

    const { values, checks } = await checkConfiguration(root, { RAYMOND_MODEL: "opus" });

    const found = Object.fromEntries(
      values.map(({ key, value, source }) => [key, `${value} by ${source}`]),
    );
    expect(found).toMatchObject({
      budget: `3.5 by ${file}:2`,
      timeout: `"90s" by ${file}:3`,
      model: '"opus" by RAYMOND_MODEL',
      debug: "true by the default",
    });
    expect(checks.map(({ level, message }) => [level, message])).toEqual([
      ["ok", `${file}; the rest are defaults`],
      ["ok", `budget = 3.5 (by ${file}:2)`],
      ["ok", 'model = "opus" (by RAYMOND_MODEL)'],
      ["ok", `timeout = "90s" (by ${file}:3)`],
      ["warn", expect.stringContaining("did you mean budget?")],
    ]);
  });

  it("names the source of each client", async () => {
    const root = await tempFolder();
    const file = path.join(root, "config.toml");
    await writeFile(file, '[raymond]\nclient = { codex = "/file/codex", pi = "/file/pi" }\n');
    const env = { RAYMOND_CLAUDE: "/opt/claude", RAYMOND_CLIENT: "codex=/opt/codex" };

    const { values, sourceOf } = await checkConfiguration(root, env);

    const clients = values.filter(({ key }) => key.startsWith("client"));
    expect(clients.map(({ key, value, source }) => [key, value, source])).toEqual([
      ["client.codex", '"/opt/codex"', "RAYMOND_CLIENT"],
      ["client.pi", '"/file/pi"', `${file}:2`],
      ["client.claude", '"/opt/claude"', "RAYMOND_CLAUDE"],
    ]);
    expect(sourceOf("clients", "pi")).toBe(`${file}:2`);
    expect(sourceOf("clients", "other")).toBe("the default");
    const { values: usual } = await checkConfiguration(null, {});
    expect(usual.find(({ key }) => key === "client")).toMatchObject({ source: "the default" });
  });

  it("warns of a folder of workflow_path that is none, from where the project lies", async () => {
    const project = await tempFolder();
    const root = path.join(project, ".raymond");
    await mkdir(path.join(project, "lib"), { recursive: true });
    await mkdir(root);
    await writeFile(path.join(root, "config.toml"), '[raymond]\nworkflow_path = ["lib", "gone"]\n');

    const { checks } = await checkConfiguration(root, {});

    const warned = checks.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warned).toEqual([
      expect.stringMatching(/config\.toml:2\) names .*gone, which is no folder/) as string,
    ]);
  });

  it("fails where a value cannot be used, in a file or in the environment", async () => {
    const root = await tempFolder();
    const wrong = await checkConfiguration(root, { RAYMOND_BUDGET: "lots" });
    expect(wrong.checks).toMatchObject([{ level: "fail", hint: expect.any(String) as unknown }]);

    await writeFile(path.join(root, "config.toml"), "[raymond]\nbudget = -1\n");
    const { checks } = await checkConfiguration(root, {});
    expect(checks).toMatchObject([
      { level: "fail", message: expect.stringContaining("config.toml:2: budget is -1") as unknown },
    ]);
  });
});

describe("doctor on the disk", () => {
  it("tries to save a run, and leaves nothing behind", async () => {
    const folder = await tempFolder();

    for (const root of [folder, path.join(folder, "a", "b")]) {
      const [runs] = await checkStateFolder(root);
      expect(runs).toMatchObject({
        name: "runs",
        level: expect.not.stringMatching("fail") as unknown,
      });
      expect(runs?.message).toContain(root);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("fails where a file stands in the way", async () => {
    const folder = await tempFolder();
    await mkdir(path.join(folder, "a"));
    await writeFile(path.join(folder, "a", "file"), "");

    const [runs] = await checkStateFolder(path.join(folder, "a", "file", "runs"));

    expect(runs).toMatchObject({
      level: "fail",
      hint: expect.stringContaining("--state-dir") as unknown,
    });
  });

  it.each([
    [0xef53, "linux", "ok"],
    [0x01021994, "linux", "warn"],
    [0x794c7630, "linux", "warn"],
    [0x6969, "linux", "warn"],
    [0x12345678, "linux", "ok"],
    [0x2011bab0, "linux", "warn"],
    [0x6969, "darwin", "ok"],
  ] as const)("judges a file system of the kind %d on %s: %s", (type, platform, level) => {
    expect(checkFileSystem(type, platform)).toMatchObject({ name: "disk", level });
  });

  it.each([
    ["/Users/ada/repo/.raymond/", "ok", "APFS"],
    ["/Volumes/Stick/repo/", "warn", "exFAT, which has no hard links"],
    ["/Volumes/Stick on desk/repo/", "warn", "FAT, which has no hard links"],
    ["/Volumes/team/repo/", "warn", "SMB, a network"],
    ["/net/build/", "warn", "NFS, a network"],
    ["/Users/ada/Library/Mobile Documents/com~apple~CloudDocs/repo/", "warn", "iCloud Drive"],
    ["/Users/ada/Library/CloudStorage/Dropbox/repo/", "warn", "a cloud service"],
    ["/dev/x/", "ok", "without known traps"],
  ] as const)("judges the folder %s on macOS: %s", (folder, level, words) => {
    expect(checkMacVolume(MOUNTS, folder)).toMatchObject({
      name: "disk",
      level,
      message: expect.stringContaining(words) as unknown,
    });
  });

  it("knows nothing of a Mac's disk where mount does not answer", () => {
    expect(checkMacVolume("", "/Users/ada/repo/")).toMatchObject({ level: "ok" });
  });

  it.each([
    [77.6 * GIB, 1_000, "ok", "77.6 GiB free"],
    [0.5 * GIB, 1_000, "warn", "Only 512.0 MiB free."],
    [1024, 1_000, "fail", "Only 1.0 KiB free."],
    [0, null, "fail", "Only 0 bytes free."],
    [77 * GIB, 0, "fail", "No more files"],
    [2 ** 60, null, "ok", "1048576.0 TiB free"],
  ])("judges %d bytes and %s files that are free: %s", (freeBytes, freeFiles, level, words) => {
    expect(checkSpace({ freeBytes, freeFiles })).toMatchObject({
      level,
      message: expect.stringContaining(words) as unknown,
    });
  });

  it("prints a check as one line, with what to do", () => {
    const check = {
      name: "space",
      level: "fail",
      message: "Only\n1 byte.",
      hint: "Make room.",
    } as const;
    expect(formatCheck(check)).toBe("FAIL  space        Only 1 byte. Make room.");
    expect(formatCheck({ ...check, level: "ok", hint: null })).toBe(
      "ok    space        Only 1 byte.",
    );
  });
});
