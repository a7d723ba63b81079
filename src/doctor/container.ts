import { type Asker, askClient } from "../clients/common/probe.ts";
import { findContainerProgram } from "../engine/executors/container.ts";
import { type Check, failure, ok } from "../inspect/check.ts";

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
