import type { ScriptFile, StateFile } from "../../language/workflow/files/state-file.ts";
import { type ExplainSettings, environmentOf } from "./describe-environment.ts";

/** The sandboxes that apply to a state: its own, or that of its workflow, and that of the user. */
export function sandboxesOf(
  { sandbox }: Pick<StateFile, "sandbox">,
  { sandbox: users, workflowSandbox }: Pick<ExplainSettings, "sandbox" | "workflowSandbox">,
  where = "In a sandbox",
): readonly string[] {
  const both = [sandbox ?? workflowSandbox, users].filter((each) => each !== null);
  return both.map(({ write, network }) => {
    const paths = write.length === 0 ? "nothing" : `only ${write.join(", ")}`;
    return `${where}: change ${paths}${network ? "" : ", without network"}.`;
  });
}

/** What a script may see and change, and its environment variables. */
export function scriptPermissions(file: ScriptFile, settings: ExplainSettings): readonly string[] {
  const image = settings.container ?? file.container;
  if (image === null) {
    const sandboxes = sandboxesOf(file, settings);
    const may = sandboxes.length === 0 ? ["Everything that you may."] : sandboxes;
    return [...may, ...environmentOf(file, settings)];
  }
  const limits = sandboxesOf(file, settings, WHERE);
  const isRefused = file.container !== null && file.container !== image;
  return [
    ...(isRefused
      ? [`Not at all: it asks for the container ${file.container}, and the setting is ${image}.`]
      : []),
    `See no files but those of the image ${image}, the working folder and the workflow.`,
    ...(limits.length === 0 ? [`${WHERE}: change only the working folder.`] : limits),
    ...environmentOf(file, settings, "container"),
  ];
}

const WHERE = "In its container";
