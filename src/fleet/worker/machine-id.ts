import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { errorCode } from "../../language/basics/error-code.ts";
import { requireName } from "../admin/names.ts";
import type { MachineId } from "../store/rows/placement.ts";

/** The id of this machine: `chosen`, else the content of `machine-id` in the state folder, which is created if missing. */
export async function machineId(
  stateFolder: string,
  chosen: string | undefined,
): Promise<MachineId> {
  if (chosen !== undefined) return requireName("machine", chosen, "--machine");
  const file = path.join(stateFolder, "machine-id");
  const host = hostname().split(".")[0] ?? "";
  const name = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40);
  const made = `${name || "machine"}-${randomBytes(3).toString("hex")}`;
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await writeFile(file, `${made}\n`, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  return requireName("machine", (await readFile(file, "utf8")).trim(), file);
}
