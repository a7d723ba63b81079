import type { StateFile } from "../../language/workflow/files/state-file.ts";
import type { ExplainSettings } from "./describe-environment.ts";

/** The sandboxes that apply to a state: its own, or that of its workflow, and that of the user. */
export function sandboxesOf(
  { sandbox }: Pick<StateFile, "sandbox">,
  { sandbox: users, workflowSandbox }: Pick<ExplainSettings, "sandbox" | "workflowSandbox">,
): readonly string[] {
  const both = [sandbox ?? workflowSandbox, users].filter((each) => each !== null);
  return both.map(({ write, network }) => {
    const paths = write.length === 0 ? "nothing" : `only ${write.join(", ")}`;
    return `In a sandbox: change ${paths}${network ? "" : ", without network"}.`;
  });
}
