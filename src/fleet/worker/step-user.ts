import * as fs from "node:fs";
import path from "node:path";
import { type StartProcess, TOKEN_VARIABLE, type UnixUser } from "../../engine/ports/process.ts";
import type { Caller } from "../../wire/caller.ts";
import { newToken, type System } from "../../wire/system/system.ts";
import { fleetErrors } from "../errors.ts";
import { withStartLimit } from "../queue/admission/start-limits.ts";

/*
 * `raymond worker --step-user`: the worker runs as root, and everything that it starts for runs (scripts, clients,
 * git) as another user. That user can read neither the worker's /proc/PID nor its files, except for:
 *
 * U1  its workspaces and the repositories that git fetches into, which it owns;
 * U2  the workflow of a step and the git directory of snapshots, which its group may read, and the pending
 *     result of a step, which it owns;
 * U3  the folders above those, which its group may enter and not list.
 */

/** A user that steps run as. */
export interface StepUser extends UnixUser {
  readonly name: string;
  readonly home: string;
}

/** The user that `--step-user` names: `NAME`, or `UID:GID`. Throws `fleet/step-user`. */
export function findStepUser(text: string): StepUser {
  const ownUid = process.getuid?.();
  const refusal = (problem: string) => fleetErrors["fleet/step-user"](text, problem);
  if (ownUid === undefined) throw refusal("this system does not support it");
  if (ownUid !== 0)
    throw refusal("only a worker that runs as root can start steps as another user");
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
  const found = readUsers().find((user) =>
    uid === undefined ? user.name === text : user.uid === Number(uid),
  );
  if (uid === undefined && found === undefined) {
    throw refusal(`${PASSWD} has no such user. A numeric UID:GID also works`);
  }
  const user = {
    uid: found?.uid ?? Number(uid),
    gid: gid === undefined ? (found?.gid ?? 0) : Number(gid),
    name: found?.name ?? text,
    home: found?.home ?? "/",
  };
  if (user.uid === 0) throw refusal("that is root itself");
  return user;
}

const PASSWD = "/etc/passwd";

function readUsers(): readonly StepUser[] {
  const rows = fs.readFileSync(PASSWD, "utf8").split("\n");
  return rows.flatMap((row) => {
    const [name = "", , uid = "", gid = "", , home = ""] = row.split(":");
    return uid === "" ? [] : [{ name, uid: Number(uid), gid: Number(gid), home }];
  });
}

/**
 * The caller for the runs of a worker: with one environment for all, without the variables that lead to the database,
 * and with a limit on concurrent process starts. Processes run as `user`, if any. `root`: state folder of the worker.
 */
export function runCaller(caller: Caller, user: StepUser | null, root: string): Caller {
  const variables = Object.entries(caller.env).filter(([name]) => !DATABASE_VARIABLES.has(name));
  const own = Object.fromEntries(variables);
  const env = Object.freeze(user === null ? own : environmentOf(user, own));
  const system = caller.system().then((given) => {
    const limited = withStartLimit(given);
    return user === null ? limited : systemOf(user, limited, root);
  });
  return { ...caller, env, system: () => system };
}

const DATABASE_VARIABLES: ReadonlySet<string> = new Set([
  ...["RAYMOND_FLEET", "RAYMOND_FLEET_FILE", "CREDENTIALS_DIRECTORY"],
]);

/** Replaces the variables of root. The client finds its login below `HOME`. */
function environmentOf(user: StepUser, env: Caller["env"]): Caller["env"] {
  const variables = Object.entries(env).filter(([name]) => !name.startsWith("XDG_"));
  return {
    ...Object.fromEntries(variables),
    ...{ HOME: user.home, USER: user.name, LOGNAME: user.name },
  };
}

function systemOf(user: StepUser, system: System, root: string): System {
  const { processes, kept } = system;
  const putBack: System["kept"]["putBack"] = async (copy, original, mask) => {
    const done = await kept.putBack(copy, original, mask);
    if (done) handOverTree(user, path.dirname(original));
    return done;
  };
  return {
    ...system,
    stepUser: user,
    processes: { ...processes, start: startAs(processes.start, user, root) },
    kept: { ...kept, putBack },
  };
}

/** Starts processes as another user, after granting access to the required files below `root` (U1 to U3). */
function startAs(start: StartProcess, user: StepUser, root: string): StartProcess {
  const access = new FileAccess(user, root);
  return (call) => {
    const { RAYMOND_STATE_DIR: workflow, RAYMOND_RESULT_FILE: result, GIT_DIR } = call.env;
    access.ownWorkspace(call.cwd);
    if (workflow !== undefined) access.share(workflow);
    if (GIT_DIR !== undefined) access.share(GIT_DIR);
    if (result !== undefined) access.handOver(result);
    return start({ ...call, user });
  };
}

/** Makes the folders that belong to the step user (U1). */
export function prepareFolders(user: StepUser, root: string): void {
  const access = new FileAccess(user, root);
  for (const name of OWNED) {
    const folder = path.join(root, "fleet", name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    access.handOver(folder);
  }
}

/** Makes folders and their parents as the step user: root would follow links of that user. */
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

/** Gives the step user all files of root below a folder of that user. */
export function handOverTree(user: UnixUser, folder: string): void {
  walk(folder, (file, { uid }) => {
    if (uid === 0) fs.lchownSync(file, user.uid, user.gid);
  });
}

/** Rejects if the user cannot enter the state folder `root`, or can read one of the files `secrets`. */
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
  const may = (test: "-x" | "-r", file: string) =>
    succeeds("/bin/sh", ["-c", `test ${test} "$1"`, "sh", file], user, start);
  new FileAccess(user, root).enter(root);
  if (!(await may("-x", root))) {
    throw fleetErrors["fleet/step-user"](
      user.name,
      `that user cannot enter the state folder ${root}`,
    );
  }
  for (const secret of secrets) {
    if (await may("-r", secret)) {
      throw fleetErrors["fleet/step-user"](
        user.name,
        `that user can read ${secret}, which contains secrets`,
      );
    }
  }
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

/** The folders below `fleet` whose entries the step user owns. */
const OWNED: readonly string[] = ["workspaces", "repositories"];

/** Changes owners and modes of files below `root` for the step user. */
class FileAccess {
  readonly #user: UnixUser;
  readonly #root: string;
  readonly #entered = new Set<string>();
  readonly #shared = new Set<string>();

  constructor(user: UnixUser, root: string) {
    this.#user = user;
    this.#root = root;
  }

  /** The group may enter the folder and those above it (U3). */
  enter(folder: string): void {
    if (!this.#isInside(folder) || this.#entered.has(folder)) return;
    this.#entered.add(folder);
    this.enter(path.dirname(folder));
    const { uid, gid, mode } = fs.lstatSync(folder);
    if (uid !== 0) return;
    const isOwnGroup = gid === this.#user.gid;
    if (!isOwnGroup) fs.lchownSync(folder, uid, this.#user.gid);
    fs.chmodSync(folder, (mode & 0o7707) | (isOwnGroup ? mode & 0o070 : 0) | 0o010);
  }

  handOver(file: string): void {
    if (!this.#isInside(file)) return;
    this.enter(path.dirname(file));
    fs.lchownSync(file, this.#user.uid, this.#user.gid);
  }

  /** Hands over a workspace or a repository that this process has made (U1). */
  ownWorkspace(folder: string): void {
    const [fleet, kind = "", name, ...below] = path.relative(this.#root, folder).split(path.sep);
    if (fleet !== "fleet" || !OWNED.includes(kind) || name === undefined || below.length > 0)
      return;
    this.enter(path.dirname(folder));
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.uid === 0)
      handOverTree(this.#user, folder);
  }

  /** The group may read a workflow (U2). */
  share(folder: string): void {
    if (!this.#isInside(folder) || this.#shared.has(folder)) return;
    this.#shared.add(folder);
    this.enter(path.dirname(folder));
    walk(folder, (file, { uid, mode }) => {
      if (uid !== 0) return;
      fs.lchownSync(file, uid, this.#user.gid);
      fs.chmodSync(file, mode | ((mode & 0o500) >> 3));
    });
  }

  #isInside(file: string): boolean {
    return file === this.#root || file.startsWith(this.#root + path.sep);
  }
}

/** Visits a file, or a folder and its content. Does not visit or follow links. */
function walk(file: string, visit: (file: string, found: fs.Stats) => void): void {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of fs.readdirSync(file)) walk(path.join(file, name), visit);
  }
  visit(file, found);
}
