import * as fs from "node:fs";
import path from "node:path";
import { type StartProcess, TOKEN_VARIABLE, type UnixUser } from "../../engine/ports/process.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { Caller } from "../../wire/caller.ts";
import { newToken } from "../../wire/system/system.ts";
import { fleetErrors } from "../errors.ts";

/*
 * `raymond worker --step-user`: the worker runs as root, and everything that it starts for runs (scripts, clients,
 * git) as another user. That user can read neither the worker's /proc/PID nor its files, except for:
 *
 * U1  its workspaces and the repositories that git fetches into, which it owns;
 * U2  the workflow of a step, which its group may read, and the pending result of a step, which it owns;
 * U3  the folders above those, which its group may enter and not list.
 */

/** A user whom steps run as. */
export interface StepUser extends UnixUser {
  readonly name: string;
  readonly home: string;
}

/** The user that `--step-user` names: `NAME`, or `UID:GID`. Throws a `fleet/step-user`. */
export function findStepUser(
  given: string,
  passwd = "/etc/passwd",
  ownUid = process.getuid?.(),
): StepUser {
  if (ownUid === undefined)
    throw fleetErrors["fleet/step-user"](given, "this system does not support it");
  if (ownUid !== 0) {
    throw fleetErrors["fleet/step-user"](
      given,
      "only a worker that runs as root can start steps as another user",
    );
  }
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(given) ?? [];
  const rows = readUsers(passwd);
  const row = rows.find((each) =>
    uid === undefined ? each.name === given : each.uid === Number(uid),
  );
  if (uid === undefined && row === undefined) {
    throw fleetErrors["fleet/step-user"](
      given,
      `${passwd} has no such user. A numeric UID:GID also works`,
    );
  }
  const user = {
    uid: row?.uid ?? Number(uid),
    gid: gid === undefined ? (row?.gid ?? 0) : Number(gid),
    name: row?.name ?? given,
    home: row?.home ?? "/",
  };
  if (user.uid === 0) throw fleetErrors["fleet/step-user"](given, "that is root itself");
  return user;
}

/** The environment of what runs as a user, in place of one of root: `HOME` is where the client finds its log-in. */
export function environmentOf(user: StepUser, env: Caller["env"]): Caller["env"] {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("XDG_"));
  return { ...Object.fromEntries(kept), HOME: user.home, USER: user.name, LOGNAME: user.name };
}

/**
 * A start as another user, who gets what its process needs of `root`, the state folder of the worker (U1 to U3).
 */
export function startAs(start: StartProcess, user: StepUser, root: string): StartProcess {
  const access = accessOf(user, root);
  return (call) => {
    const { RAYMOND_STATE_DIR: workflow, RAYMOND_RESULT_FILE: payload } = call.env;
    access.own(call.cwd);
    if (workflow !== undefined) access.share(workflow);
    if (payload !== undefined) access.handOver(payload);
    return start({ ...call, user });
  };
}

/** Makes the folders that belong to the step user (U1). */
export function prepareFolders(user: StepUser, root: string): void {
  const access = accessOf(user, root);
  for (const name of OWNED) {
    const folder = path.join(root, "fleet", name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    access.handOver(folder);
  }
}

/** Makes a folder, and those above it that are missing, as the user that steps run as: root would follow their links. */
export function folderMaker(
  user: StepUser | null,
  start: StartProcess,
): (folder: string) => Promise<void> {
  return async (folder) => {
    if (user === null) {
      await fs.promises.mkdir(folder, { recursive: true });
    } else if (!(await succeeds("/bin/mkdir", ["-p", "--", folder], user, start))) {
      throw fleetErrors["fleet/step-user"](user.name, `that user cannot make the folder ${folder}`);
    }
  };
}

/** Gives the step user files that this process has made in a folder of that user. */
export function handOverTree(user: UnixUser, folder: string): void {
  walk(folder, (file, found) => {
    if (found.uid === 0) fs.lchownSync(file, user.uid, user.gid);
  });
}

/**
 * Rejects with a `fleet/step-user` where the user cannot enter the state folder, or could read one of the
 * `secrets`, files that are for the worker alone.
 */
export async function requireSeparation(
  user: StepUser,
  {
    root,
    secrets,
    start,
  }: {
    readonly root: string;
    readonly secrets: readonly string[];
    readonly start: StartProcess;
  },
): Promise<void> {
  accessOf(user, root).enter(root);
  if (!(await may("-x", root, user, start))) {
    throw fleetErrors["fleet/step-user"](
      user.name,
      `that user cannot enter the state folder ${root}`,
    );
  }
  for (const secret of secrets) {
    if (await may("-r", secret, user, start)) {
      throw fleetErrors["fleet/step-user"](
        user.name,
        `that user can read ${secret}, which has secrets in it`,
      );
    }
  }
}

const OWNED = ["workspaces", "repositories"] as const;

function accessOf(user: UnixUser, root: string) {
  const entered = new Set<string>();
  const shared = new Set<string>();
  const isInside = (file: string) => file === root || file.startsWith(root + path.sep);
  const enter = (folder: string): void => {
    if (!isInside(folder) || entered.has(folder)) return;
    entered.add(folder);
    enter(path.dirname(folder));
    const { uid, gid, mode } = fs.lstatSync(folder);
    if (uid !== 0) return;
    if (gid !== user.gid) fs.lchownSync(folder, uid, user.gid);
    fs.chmodSync(folder, (mode & 0o7707) | (gid === user.gid ? mode & 0o070 : 0) | 0o010);
  };
  const handOver = (file: string): void => {
    if (!isInside(file)) return;
    enter(path.dirname(file));
    fs.lchownSync(file, user.uid, user.gid);
  };
  return {
    enter,
    handOver,
    /** A workspace, or a repository, that this process has made. */
    own: (folder: string): void => {
      const [fleet, kind, name, ...below] = path.relative(root, folder).split(path.sep);
      const isOwned = fleet === "fleet" && OWNED.some((each) => each === kind);
      if (!isOwned || name === undefined || below.length > 0) return;
      enter(path.dirname(folder));
      if (isOfRoot(folder)) handOverTree(user, folder);
    },
    /** A workflow: to be read. */
    share: (folder: string): void => {
      if (!isInside(folder) || shared.has(folder)) return;
      shared.add(folder);
      enter(path.dirname(folder));
      walk(folder, (file, { uid, mode }) => {
        if (uid !== 0) return;
        fs.lchownSync(file, uid, user.gid);
        fs.chmodSync(file, mode | ((mode & 0o500) >> 3));
      });
    },
  };
}

function isOfRoot(file: string): boolean {
  try {
    return fs.lstatSync(file).uid === 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Visits a file, or a folder and all that it holds. Links are neither visited nor followed. */
function walk(file: string, visit: (file: string, found: fs.Stats) => void): void {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of fs.readdirSync(file)) walk(path.join(file, name), visit);
  }
  visit(file, found);
}

function may(
  test: "-x" | "-r",
  file: string,
  user: UnixUser,
  start: StartProcess,
): Promise<boolean> {
  return succeeds("/bin/sh", ["-c", `test ${test} "$1"`, "sh", file], user, start);
}

async function succeeds(
  command: string,
  args: readonly string[],
  user: UnixUser,
  start: StartProcess,
): Promise<boolean> {
  const never = new AbortController().signal;
  const token = newToken();
  const { done } = start({
    command,
    args,
    ...{ cwd: "/", env: { [TOKEN_VARIABLE]: token }, input: null, user, token },
    onStdout: () => undefined,
    onStderr: () => undefined,
    cancellation: { interrupt: never, kill: never },
  });
  return (await done).exitCode === 0;
}

interface UserRow extends UnixUser {
  readonly name: string;
  readonly home: string;
}

function readUsers(passwd: string): readonly UserRow[] {
  const rows = fs.readFileSync(passwd, "utf8").split("\n");
  return rows.flatMap((row) => {
    const [name = "", , uid = "", gid = "", , home = ""] = row.split(":");
    return uid === "" ? [] : [{ name, uid: Number(uid), gid: Number(gid), home }];
  });
}
