import { type Asker, askClient } from "../clients/common/probe.ts";
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import type { Sandbox } from "../language/workflow/policy/sandbox.ts";
import { findProgram } from "../process/find-program.ts";

/**
 * Whether bubblewrap can create a sandbox here, and whether the client has socat for its own. Nothing
 * without the setting `sandbox`.
 */
export async function checkSandbox(
  sandbox: Sandbox | null,
  asker: Asker,
): Promise<readonly Check[]> {
  const name = "sandbox";
  if (sandbox === null) return [];
  const program = findProgram("bwrap", asker.env["PATH"]);
  if (program === null) {
    return [
      failure(
        name,
        "The setting sandbox needs bubblewrap, and there is no bwrap on PATH.",
        "Install it (Debian, Ubuntu: apt install bubblewrap), or remove the setting.",
      ),
    ];
  }
  const { exitCode } = await askClient(program, TRIAL, asker);
  const socat = findProgram("socat", asker.env["PATH"]);
  return [
    ...(socat === null
      ? [
          warning(
            name,
            "The sandbox of prompts needs socat, and there is none on PATH.",
            "Install it (Debian, Ubuntu: apt install socat), if the workflow has prompts.",
          ),
        ]
      : []),
    exitCode === 0
      ? ok(name, `${program} works`)
      : failure(
          name,
          `${program} cannot create a sandbox here: it ended with exit code ${String(exitCode)}.`,
          "Allow user namespaces for it. In a container, this requires more privileges.",
        ),
  ];
}

const TRIAL = ["--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "/bin/true"];
