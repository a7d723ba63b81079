import { homedir } from "node:os";
import { delimiter } from "node:path";
import { compareVersion } from "../../language/basics/compare-version.ts";
import { findProgram } from "../../process/find-program.ts";
import type { ClientErrors } from "./client-errors.ts";
import type { ClientVersion } from "./coding-agent.ts";
import { type Asker, askClient } from "./probe.ts";

/** A client, and its problems as errors. */
export interface Locatable {
  /** Its usual name on PATH, and in messages. */
  readonly name: string;
  readonly errors: ClientErrors;
}

/** The absolute path of a client. `named`: a path, or a name on PATH. Rejects with `NAME/not-found` or `NAME/unusable`. */
export function findClient(...call: Parameters<typeof locate>): Promise<string> {
  return new Promise((resolve) => {
    resolve(locate(...call));
  });
}

function locate(
  { name, errors }: Locatable,
  named: string | null,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const client = named ?? name;
  const found = findProgram(client, env, cwd, platform);
  switch (found.kind) {
    case "found":
      return found.path;
    case "not-executable":
      throw errors.unusable(found.path, "not executable");
    case "missing":
      throw errors.notFound(client, found.onPath, elsewhere(client, found.onPath, env, cwd));
  }
}

/** Where installers put a client. A PATH of cron contains none of these. */
const USUAL_FOLDERS = [
  ...["~/.local/bin", "~/bin", "~/.claude/local", "~/.npm-global/bin", "~/.bun/bin"],
  ...["~/.volta/bin", "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin"],
];

/** A client that is not on PATH; null: none. */
function elsewhere(
  client: string,
  onPath: boolean,
  env: Readonly<Record<string, string>>,
  cwd: string,
): string | null {
  if (!onPath) return null;
  const home = env["HOME"] ?? homedir();
  const PATH = USUAL_FOLDERS.map((folder) => folder.replace("~", home)).join(delimiter);
  const found = findProgram(client, { PATH }, cwd);
  return found.kind === "found" ? found.path : null;
}

/** The first version number that `--version` prints; null if there is none. Rejects with `NAME/unusable`. */
export async function askVersion(
  { errors }: Locatable,
  path: string,
  asker: Asker,
): Promise<string | null> {
  const { exitCode, stdout } = await askClient(path, ["--version"], asker);
  if (exitCode !== 0) throw errors.unusable(path, exitCode);
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
}

/** The oldest and the newest version that raymond was tested with. */
export interface TestedVersions {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The version with a warning if raymond was not tested with it. `unknown`: the warning for an unknown version. */
export function judgeVersion(
  { name }: Pick<Locatable, "name">,
  version: string | null,
  { from, to }: TestedVersions,
  unknown: string,
): ClientVersion {
  if (version === null) return { version, warning: unknown };
  const tested = `raymond was tested with ${from.join(".")} to ${to.join(".")}`;
  const odd =
    compareVersion(version, from) < 0 ? "older" : compareVersion(version, to) > 0 ? "newer" : null;
  const warning = odd === null ? null : `${name} ${version} is ${odd} than expected: ${tested}.`;
  return { version, warning };
}
