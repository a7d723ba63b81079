import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { installCommand, loadPackage } from "../../../src/fleet/queue/packages.ts";
import { tempFolder } from "../../support/folders.ts";

describe("the packages that only a fleet needs", () => {
  it("are reported with the command that installs them if one is missing", () => {
    expect(() => loadPackage("no-such-package")).toThrow(
      expect.objectContaining({
        code: "fleet/not-installed",
        message: expect.stringContaining("no-such-package") as string,
        hint: expect.stringMatching(/npm install .*pg@8\S+ @dbos-inc\/dbos-sdk@\d/) as string,
      }) as Error,
    );
  });

  it.each([
    ["/lib/node_modules/raymond", false, "--global"],
    ["/project/node_modules/raymond", true, "--prefix HERE/project"],
    ["/checkout", true, "--prefix HERE/checkout"],
  ])("are installed next to a raymond in %s", async (place, isProject, where) => {
    const folder = await tempFolder();
    const home = path.join(folder, place);
    await mkdir(home, { recursive: true });
    const manifest = path.join(home, "package.json");
    await writeFile(manifest, '{"peerDependencies":{"pg":"^8.1.0"}}');
    if (isProject && place.includes("node_modules")) {
      await writeFile(path.join(home, "../../package.json"), "{}");
    }

    expect(installCommand(["pg"], manifest)).toBe(
      `npm install ${where.replace("HERE", folder)} pg@8.1.0`,
    );
  });
});
