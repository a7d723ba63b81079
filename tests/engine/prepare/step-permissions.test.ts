import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withAbsolutePaths } from "../../../src/engine/prepare/step-permissions.ts";
import { NONE_DECLARED } from "../../../src/language/permissions/declared.ts";
import { printPermission } from "../../../src/language/permissions/permission.ts";
import { permissionsOf, UNSET } from "../../../src/machine/decide/permissions.ts";
import { systemFolders } from "../../../src/wire/system/system.ts";
import { tempFolder } from "../../support/folders.ts";

/** The items of `deny`, or `allow`, with absolute paths. */
function absolute(folder: string, key: "allow" | "deny", ...items: readonly string[]) {
  const file = {
    permissions: NONE_DECLARED,
    ...{ tools: null, allowedTools: null, disallowedTools: null },
  };
  const { call } = permissionsOf(file, NONE_DECLARED, { ...UNSET, [key]: items });
  return withAbsolutePaths(call, folder, systemFolders)[key].map(printPermission);
}

describe("a denied path", () => {
  it("is denied with the target of each link that it goes through", async () => {
    const folder = await tempFolder();
    const real = path.join(folder, "real*(1)");
    await mkdir(real);
    await writeFile(path.join(real, "key"), "");
    await symlink(real, path.join(folder, "link"));
    await symlink(path.join(real, "key"), path.join(folder, "key"));
    const target = path.join(folder, "real?(1)");

    expect(absolute(folder, "deny", "read(link/key)", "write(link/**)", "write(link/new)")).toEqual(
      [
        ...[`read(${folder}/link/key)`, `read(${target}/key)`],
        ...[`write(${folder}/link/**)`, `write(${target}/**)`],
        ...[`write(${folder}/link/new)`, `write(${target}/new)`],
      ],
    );
    expect(absolute(folder, "deny", "read(key)")).toEqual([
      `read(${folder}/key)`,
      `read(${target}/key)`,
    ]);
  });

  it("stays one item without links, and an allowed path gets no target", async () => {
    const folder = await tempFolder();
    await mkdir(path.join(folder, "real"));
    await symlink("real", path.join(folder, "link"));
    const items = ["write(real/**)", "read(*.pem)", "read(/**)", "command(rm *)"];

    expect(absolute(folder, "deny", ...items)).toEqual([
      ...[`write(${folder}/real/**)`, `read(${folder}/*.pem)`, "read(/**)", "command(rm *)"],
    ]);
    expect(absolute(folder, "allow", "write(link)")).toEqual([`write(${folder}/link)`]);
    expect(absolute(folder, "deny", "read(~/none/x)")).toEqual([
      ...["read(~/none/x)", `read(${path.join(homedir(), "none", "x")})`],
    ]);
  });
});

it("in a worktree, an allowed path means its files, and a denied one also those of the checkout", () => {
  const file = {
    permissions: NONE_DECLARED,
    ...{ tools: null, allowedTools: null, disallowedTools: null },
  };
  const items = ["write(src/**)", "write(/absolute)"];
  const { call } = permissionsOf(file, NONE_DECLARED, { ...UNSET, allow: items, deny: items });

  const { allow, deny } = withAbsolutePaths(call, "/repo", systemFolders, (written) =>
    path.resolve("/trees/x", written),
  );

  expect(allow.map(printPermission)).toEqual(["write(/trees/x/src/**)", "write(/absolute)"]);
  expect(deny.map(printPermission)).toEqual([
    ...["write(/repo/src/**)", "write(/trees/x/src/**)", "write(/absolute)"],
  ]);
});
