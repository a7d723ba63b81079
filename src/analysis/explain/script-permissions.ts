import type { ScriptFile } from "../../language/workflow/files/state-file.ts";
import type { ExplainSettings } from "./describe-environment.ts";

export function scriptPermissions(
  { sandbox }: ScriptFile,
  { sandbox: users }: ExplainSettings,
): readonly string[] {
  const both = [sandbox, users].filter((each) => each !== null);
  if (both.length === 0) return ["Everything that you may."];
  return both.map(({ write, network }) => {
    const paths = write.length === 0 ? "nothing" : `only ${write.join(", ")}`;
    return `In a sandbox: change ${paths}${network ? "" : ", without network"}.`;
  });
}
