import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { foreignInterpreter } from "../../language/workflow/files/shebang.ts";
import { extensionOf } from "../../language/workflow/files/state-name.ts";
import type { Step } from "../../machine/decide/step.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import type { ProcessEnd } from "../ports/process.ts";

/** The failure of a script that was started. `limitMs`: its timeout, if that was exceeded. */
export function scriptFailure(
  name: string,
  end: ProcessEnd,
  limitMs: number | null,
  stderr: readonly string[],
): Failure {
  const after = `after ${formatDuration(end.durationMs)}`;
  const how = describeEnd(end, limitMs);
  if (limitMs !== null) {
    return failure(
      "deterministic",
      `The script ${name} ${how}.${lastWords(stderr)}`,
      `Increase the limit with --script-timeout, or with the line \`${comment(name)} raymond: timeout=30m\` at its top.`,
    );
  }
  if (end.endedByRaymond) {
    return failure("cancelled", `The script ${name} was interrupted ${after}.`);
  }
  return failure(
    wasKilled(end) ? "crash" : "deterministic",
    `The script ${name} ${how} ${after}.${lastWords(stderr)}`,
    end.signal === "SIGKILL" ? KILLED : null,
  );
}

/**
 * Whether something other than raymond ended the script: the system, an administrator, another
 * process. That is an interruption and not the script's fault. Other signals (SIGSEGV) are its own
 * fault.
 */
export function wasKilled({ endedByRaymond: ended, signal }: ProcessEnd): boolean {
  return !ended && signal !== null && FROM_OUTSIDE.has(signal);
}

const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set([
  ...(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGKILL"] as const),
]);

/** How a failed script ended, as a clause. */
export function describeEnd({ signal, exitCode }: ProcessEnd, limitMs: number | null): string {
  if (limitMs !== null) return `did not end within ${formatDuration(limitMs)} and was stopped`;
  return signal === null ? `failed with exit code ${String(exitCode)}` : `was ended by ${signal}`;
}

const KILLED =
  "If no user killed it, the system may have run out of memory. Check dmesg or the container log.";

/**
 * The failure of a script that could not be started. The system uses one code for several reasons.
 */
export async function startFailure(
  step: Step,
  command: string,
  error: { readonly code: string; readonly message: string },
): Promise<Failure> {
  const unstarted = (why: string, hint: string) =>
    failure("deterministic", `The script ${step.file.name} could not be started: ${why}.`, hint);
  const folder = await stat(step.cwd).catch(() => null);
  if (folder === null || !folder.isDirectory()) {
    return unstarted(
      `its working directory ${step.cwd} ${folder === null ? "does not exist any more" : "is not a folder"}`,
      "Restore the folder, then resume the run.",
    );
  }
  switch (error.code) {
    case "EACCES":
      return (await mayEnter(step.cwd))
        ? unstarted(`${command} is not executable`, `Make it executable: chmod +x ${command}`)
        : unstarted(
            `no permission to enter its working directory ${step.cwd}`,
            `Allow it (chmod u+x ${step.cwd}), or change the directory with cd.`,
          );
    case "ENOENT":
      return unstarted(`${command} was not found`, `Install ${command}, or put it on the PATH.`);
    case "E2BIG":
      return unstarted(
        "its environment is too large for the system",
        "Pass large data in files instead of attributes.",
      );
    default:
      return unstarted(
        `${error.message} (in ${step.cwd})`,
        `Check the permissions of ${command} and of the working directory.`,
      );
  }
}

/**
 * The hint for a script that bash cannot parse because of Windows line endings, its encoding, a byte order mark
 * or another interpreter; else null. sed on macOS requires a suffix after `-i` and does not know
 * escapes, so the shell expands them.
 */
export async function scriptTextHint(path: string): Promise<string | null> {
  if (!path.endsWith(".sh")) return null;
  const text = await readRegularFile(path, LIMITS.source).then(
    (bytes) => bytes.toString("latin1"),
    () => "",
  );
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff|[^\n]{0,200}\0)/.test(text)) {
    return `${path} is not UTF-8 text but probably UTF-16, which bash cannot run. Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8`;
  }
  if (text.includes("\r\n")) {
    return `${path} has Windows line endings (CRLF), and bash treats each \\r as part of the command. Fix it with: sed -i.bak $'s/\\r$//' "${path}"\nThe line "*.sh text eol=lf" in .gitattributes keeps git from restoring them.`;
  }
  if (text.startsWith(BYTE_ORDER_MARK)) {
    return `${path} starts with a byte order mark, which bash treats as part of the first command. Fix it with: sed -i.bak $'1s/^\\xef\\xbb\\xbf//' "${path}"`;
  }
  const other = foreignInterpreter(text);
  if (other !== null) {
    return `The first line of ${path} names ${other}, but raymond runs .sh files with bash. Rewrite it for bash, or call a separate file from it.`;
  }
  return null;
}

/** The UTF-8 bytes, decoded as latin1. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

async function mayEnter(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function lastWords(stderr: readonly string[]): string {
  if (stderr.length === 0) return " It wrote nothing to standard error.";
  return ` Its standard error ended with:\n${stderr.map((line) => `  ${line}`).join("\n")}`;
}

function comment(name: string): string {
  return extensionOf(name) === ".bat" ? "REM" : "#";
}
