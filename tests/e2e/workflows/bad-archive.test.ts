import { createHash, randomBytes } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { strToU8, type Zippable, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { refusal, scene } from "../scene.ts";

const WORKFLOW: Zippable = {
  "START.sh": strToU8('cat "$RAYMOND_STATE_DIR/data/word.txt" >&2; echo "<goto>END</goto>"\n'),
  "END.sh": strToU8('echo "<result>$(cat "$RAYMOND_STATE_DIR/data/word.txt")</result>"\n'),
  "data/word.txt": strToU8("carried along"),
};

const zip = (more: Zippable = {}): Uint8Array => zipSync({ ...WORKFLOW, ...more });
const MIB = 1024 ** 2;

describe("a zip that finds no room", () => {
  it("leaves nothing of a run that was not created, and its id free", async () => {
    const { project, bash, raymond, runs } = await scene({});
    await writeFile(path.join(project.dir, "w.zip"), zip({ "big.bin": randomBytes(60_000) }));

    const refused = await bash("ulimit -f 20; raymond w.zip --workflow-id one");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toMatch(/Cannot unpack workflow .*w\.zip to .*EFBIG/);
    expect(await runs()).toEqual([]);
    expect(await readdir(path.join(project.dir, ".raymond", "runs"))).toEqual([]);
    expect(await raymond("w.zip --workflow-id one")).toMatchObject({ exitCode: 0 });
  });
});

describe("a zip that cannot be used", () => {
  it.each([
    ["junk", "not a zip", () => strToU8("This is no archive.")],
    ["cut off", "is truncated", () => zip().slice(0, -30)],
    ["damaged inside", "damaged", () => withChanged(zip(), 45)],
    ["encrypted", "encrypted", () => encrypted(zip())],
    ["a way out", "../evil.md", () => zip({ "../evil.md": strToU8("x") })],
    ["an absolute path", "/evil.md", () => zip({ "/evil.md": strToU8("x") })],
    ["a backslash", "evil.md", () => zip({ "a\\evil.md": strToU8("x") })],
    ["a link", "symbolic link", () => zip({ "L.md": [strToU8("/etc"), LINK] })],
    ["a bomb", "the maximum is 64 MiB", () => zip({ "big.bin": new Uint8Array(70 * MIB) })],
    ["too many entries", "the maximum is 2,000", () => zip(manyFiles())],
    ["two folders of states", "no states", () => zipSync({ "a/START.md": ONE, "b/START.md": ONE })],
  ])("is refused before anything runs: %s", async (_, words, bytes) => {
    const { project, raymond, runs } = await scene({});
    await writeFile(path.join(project.dir, "w.zip"), bytes());

    const refused = await raymond("w.zip");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain("w.zip");
    expect(refusal(refused)).toContain(words);
    expect(await runs()).toEqual([]);
    await expect(project.read("../evil.md")).rejects.toThrow("ENOENT");
  });

  it("is rejected if its name contains another checksum", async () => {
    const { project, raymond } = await scene({});
    const bytes = zip();
    const digest = createHash("sha256").update(bytes).digest("hex").toUpperCase();
    await writeFile(path.join(project.dir, `w-${"0".repeat(64)}.zip`), bytes);
    await writeFile(path.join(project.dir, `w-${digest}.zip`), bytes);

    const refused = await raymond(`w-${"0".repeat(64)}.zip`);

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain(digest.toLowerCase());
    expect(await raymond(`w-${digest}.zip`)).toMatchObject({
      exitCode: 0,
      stdout: "carried along\n",
    });
  });

  it("is not needed after the start of its run", async () => {
    const { project, raymond } = await scene({});
    const file = path.join(project.dir, "w.zip");
    await writeFile(file, zip({ "END.sh": strToU8('[ -e ok ] && echo "<result>yes</result>"\n') }));
    expect((await raymond("w.zip --workflow-id one")).exitCode).toBe(1);

    await rm(file);
    await project.write("ok", "");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "yes\n" });
  });
});

const ONE = strToU8("x");
const LINK = { os: 3, attrs: (0o120777 << 16) >>> 0 } as const;

function manyFiles(): Zippable {
  return Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`S${String(n)}.md`, ONE]));
}

function withChanged(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 0xff : byte));
}

/** The same with the bit set, in both headers of each entry, that says that it is encrypted. */
function encrypted(bytes: Uint8Array): Uint8Array {
  const changed = Buffer.from(bytes);
  for (const [signature, flags] of [
    ["PK\u0003\u0004", 6],
    ["PK\u0001\u0002", 8],
  ] as const) {
    for (let at = changed.indexOf(signature); at !== -1; at = changed.indexOf(signature, at + 4)) {
      changed.writeUInt8(changed.readUInt8(at + flags) | 1, at + flags);
    }
  }
  return changed;
}
