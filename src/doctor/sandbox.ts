import { type Asker, askClient } from "../clients/common/probe.ts";
import { findContainerProgram } from "../engine/executors/container.ts";
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import type { Sandbox } from "../language/workflow/policy/sandbox.ts";
import { programOnPath } from "../process/find-program.ts";

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
  const program = programOnPath("bwrap", asker.env["PATH"]);
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
  const socat = programOnPath("socat", asker.env["PATH"]);
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

/** The program that runs containers and, with the setting `container`, whether it has the image. */
export async function checkContainer(image: string | null, asker: Asker): Promise<Check> {
  const name = "container";
  const found = findContainerProgram(asker.env["PATH"]);
  if (found === null && image === null) {
    return ok(name, "neither podman nor docker on PATH; only scripts with container need one");
  }
  if (found === null) {
    return failure(
      name,
      "The setting container needs podman or docker, and neither is on PATH.",
      "Install one of them (Debian, Ubuntu: apt install podman), or remove the setting.",
    );
  }
  const { program, path } = found;
  if (image === null) return ok(name, `scripts with container run in ${path}`);
  if ((await askClient(path, ["version"], asker)).exitCode !== 0) {
    return failure(name, `${path} does not work.`, `Find the reason with: ${program} version`);
  }
  const { exitCode } = await askClient(path, ["image", "inspect", image], asker);
  if (exitCode === 0) return ok(name, `${path} has the image ${image}`);
  return failure(
    name,
    `${path} does not have the image ${image} of the setting container.`,
    `raymond does not download images. If you trust it: ${program} pull ${image}`,
  );
}
