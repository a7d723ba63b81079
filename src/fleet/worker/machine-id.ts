import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { errorCode } from "../../language/basics/error-code.ts";
import { requireName } from "../admin/names.ts";
import type { MachineId } from "../store/rows/placement.ts";

/**
 * The id of this machine: what is given, else what its file in the state folder says,
 * which is written where it is not there. Rejects with a `fleet/bad-name`.
 */
export async function machineId(stateFolder: string, given: string | null): Promise<MachineId> {
  if (given !== null) return requireName("machine", given, "--machine");
  const file = path.join(stateFolder, "machine-id");
  const known = await read(file);
  if (known !== null) return requireName("machine", known.trim(), file);
  const made = `${hostPart()}-${randomBytes(3).toString("hex")}`;
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${made}\n`, { flag: "wx", mode: 0o600 });
    return made;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return requireName("machine", ((await read(file)) ?? "").trim(), file);
  }
}

function hostPart(): string {
  const name = hostname().split(".")[0] ?? "";
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, "-")
      .replace(/^-+/, "")
      .slice(0, 40) || "machine"
  );
}

async function read(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}
