import { stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod/mini";
import { ConfigError } from "../../config/errors.ts";
import { keyLine } from "../../config/key-lines.ts";
import { parseToml } from "../../config/load.ts";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { LEVELS } from "../../language/permissions/permission.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import type { Policy } from "./policy.ts";

/** The policy of a worker, and how it treats settings that a project brings for the client. */
export interface WorkerPolicy extends Policy {
  /** Use the hooks and MCP servers of projects (docs/trust.md, "Trusting a project"). */
  readonly trustProject: boolean;
}

/** The file without `--policy`; null where the system has no such place. */
export function defaultPolicyFile(platform: Platform): string | null {
  return platform === "unix" ? "/etc/raymond/worker.toml" : null;
}

/**
 * Reads the policy file of a worker; null if it does not exist. Rejects with a {@link ConfigError} for an invalid
 * file, and for one that another user could change.
 */
export async function readPolicy(file: string, platform: Platform): Promise<WorkerPolicy | null> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.small),
    );
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw problem(file, null, null, `the policy cannot be read: ${reason}`, READABLE);
  }
  if (platform === "unix") await requireOwn(file);
  return parsePolicy(file, text);
}

const READABLE = "Make it a text file in UTF-8 that the user of the worker can read.";

/** A policy that its runs could change would protect nothing. */
async function requireOwn(file: string): Promise<void> {
  const { uid, mode } = await stat(file);
  const own = process.getuid?.() ?? 0;
  if (uid !== 0 && uid !== own) {
    const owner = `belongs to another user (UID ${String(uid)})`;
    throw problem(file, null, null, owner, `Run: chown root ${file}`);
  }
  if ((mode & 0o022) !== 0) {
    const writable = "can be changed by other users";
    throw problem(file, null, null, writable, `Run: chmod go-w ${file}`);
  }
}

const FOLDER = z.string().check(z.refine((folder) => path.isAbsolute(folder)));
const WORD = z.string().check(z.minLength(1));
const FILE = z.strictObject({
  folders: z.optional(z.array(FOLDER)),
  repositories: z.optional(z.array(WORD)),
  permissions: z.optional(z.enum(LEVELS)),
  clients: z.optional(z.array(WORD)),
  trust_project: z.optional(z.boolean()),
});

const EXPECTED: Readonly<Record<string, string>> = {
  folders: "a list of absolute paths",
  repositories: "a list of repository URLs, of which the last part may be *",
  permissions: '"read-only", "edit" or "full"',
  clients: "a list of names or paths of clients",
  trust_project: "true or false",
};

/** Throws a {@link ConfigError}. */
export function parsePolicy(file: string, text: string): WorkerPolicy {
  const document = parseToml(file, text);
  if (document instanceof ConfigError) throw document;
  const read = FILE.safeParse(document);
  if (!read.success) {
    const [issue] = read.error.issues;
    const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const key = unknown ?? String(issue?.path[0] ?? "");
    const what =
      unknown === undefined ? `must be ${EXPECTED[key] ?? "a valid value"}` : "is not a known key";
    throw problem(file, keyLine(text, null, key), key, what, HINT);
  }
  const { folders, repositories, permissions, clients, trust_project: trusts } = read.data;
  return {
    folders: folders ?? null,
    repositories: repositories ?? null,
    permissions: permissions ?? null,
    clients: clients ?? null,
    trustProject: trusts === true,
  };
}

const HINT = `Its keys are ${Object.keys(EXPECTED).join(", ")} (docs/fleet-operations.md, "Policy of a worker").`;

function problem(
  file: string,
  line: number | null,
  key: string | null,
  what: string,
  hint: string,
): ConfigError {
  return new ConfigError({ place: { file, line }, key, problem: what, hint });
}
