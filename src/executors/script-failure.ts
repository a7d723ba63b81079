import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { formatDuration } from "../core/duration.ts";
import { type Failure, failure } from "../core/machine/failure.ts";
import type { Step } from "../core/machine/step.ts";
import { foreignInterpreter } from "../core/workflow/shebang.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import { LIMITS, readRegularFile } from "../files/read-file.ts";
import type { ProcessEnd } from "../ports/process.ts";

/** The words for a script that was started and did not succeed. `limitMs`: it ran out of this time. */
export function failureOf(
  name: string,
  end: ProcessEnd,
  limitMs: number | null,
  stderr: readonly string[],
): Failure {
  const after = `after ${formatDuration(end.durationMs)}`;
  const how = endingOf(end, limitMs);
  if (limitMs !== null) {
    return failure(
      "deterministic",
      `The script ${name} ${how}.${lastWords(stderr)}`,
      `Give it more time with --script-timeout, or with a line \`${comment(name)} raymond: timeout=30m\` at its top.`,
    );
  }
  if (end.ended) {
    return failure("cancelled", `The script ${name} was interrupted ${after}.`);
  }
  return failure(
    wasKilled(end) ? "crash" : "deterministic",
    `The script ${name} ${how} ${after}.${lastWords(stderr)}`,
    end.signal === "SIGKILL" ? KILLED : null,
  );
}

/**
 * Whether something other than raymond ended the script from outside: the system, an administrator, another
 * process. That is an interruption, and says nothing about the script. Other signals (SIGSEGV) are its own fault.
 */
export function wasKilled({ ended, signal }: ProcessEnd): boolean {
  return !ended && signal !== null && FROM_OUTSIDE.has(signal);
}

const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set([
  ...(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGKILL"] as const),
]);

/** How a script ended that did not succeed, as the end of a sentence. */
export function endingOf({ signal, exitCode }: ProcessEnd, limitMs: number | null): string {
  if (limitMs !== null) return `did not end within ${formatDuration(limitMs)} and was stopped`;
  return signal === null ? `failed with exit code ${String(exitCode)}` : `was ended by ${signal}`;
}

const KILLED =
  "If nobody killed it, the system may have run out of memory: dmesg, or the log of the container, tells.";

/** The words for a script that could not even be started: the system has one code for several reasons. */
export async function unstarted(
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
      "Put the folder back, then resume the run.",
    );
  }
  switch (error.code) {
    case "EACCES":
      return (await mayEnter(step.cwd))
        ? unstarted(`${command} is not executable`, `Allow it: chmod +x ${command}`)
        : unstarted(
            `this user may not enter its working directory ${step.cwd}`,
            `Allow it (chmod u+x ${step.cwd}), or send the agent elsewhere by cd.`,
          );
    case "ENOENT":
      return unstarted(`${command} was not found`, `Install ${command}, or put it on the PATH.`);
    case "E2BIG":
      return unstarted(
        "its environment is too large for the system",
        "Hand large data over in files, not in attributes.",
      );
    default:
      return unstarted(
        `${error.message} (in ${step.cwd})`,
        `Check that ${command} and the working directory may be used by this user.`,
      );
  }
}

/**
 * What to do about a script that bash cannot read: line ends of Windows or a
 * byte order mark, which most editors do not show. Null for all others. The
 * sed of macOS wants a suffix after `-i` and knows no escapes: the shell writes them out.
 */
export async function scriptTextHint(path: string): Promise<string | null> {
  if (!path.endsWith(".sh")) return null;
  const text = await readRegularFile(path, LIMITS.source).then(
    (bytes) => bytes.toString("latin1"),
    () => "",
  );
  if (text.includes("\r\n")) {
    return `${path} has the line ends of Windows (CRLF), and bash takes each \\r for a part of the command. Mend it with: sed -i.bak $'s/\\r$//' "${path}"\nThe line "*.sh text eol=lf" in .gitattributes keeps git from bringing them back.`;
  }
  if (text.startsWith(BYTE_ORDER_MARK)) {
    return `${path} begins with a byte order mark, which bash takes for a part of the first command. Mend it with: sed -i.bak $'1s/^\\xef\\xbb\\xbf//' "${path}"`;
  }
  const other = foreignInterpreter(text);
  if (other !== null) {
    return `The first line of ${path} names ${other}, and raymond runs every .sh file with bash. Write it for bash, or call another file from it.`;
  }
  return null;
}

/** In UTF-8, read byte by byte. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

async function mayEnter(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function lastWords(stderr: readonly string[]): string {
  if (stderr.length === 0) return " It wrote nothing to standard error.";
  return ` Its standard error ended with:\n${stderr.map((line) => `  ${line}`).join("\n")}`;
}

/** What a comment begins with in a script of this name. */
function comment(name: string): string {
  return extensionOf(name) === ".bat" ? "REM" : "#";
}
