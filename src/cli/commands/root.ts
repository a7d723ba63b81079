import type { Command } from "commander";
import { schemasFolder } from "../../launch/package-folder.ts";
import { requireArrival } from "../output.ts";
import { notEmpty, WORKFLOW_HELP } from "../parse/options.ts";
import { givenFlags } from "../parse/raymond-command.ts";
import { addRunOptions, type RunOptions } from "../parse/run-options.ts";
import { refuseUnknownCommand } from "../parse/unknown-command.ts";
import { VERSION } from "../parse/version.ts";
import type { Shell } from "../shell.ts";
import { cliErrors } from "../words/errors.ts";

type RootOptions = RunOptions & { readonly resume?: string | true; readonly initConfig?: true };

/** `raymond WORKFLOW`, `raymond --resume [RUN]` and `raymond --init-config`. Without any of them it prints the help. */
export function define(root: Command, shell: Shell): void {
  addRunOptions(root, null)
    .argument("[workflow]", WORKFLOW_HELP, notEmpty)
    .option("--resume [run]", "Same as: raymond resume [RUN]")
    .option("--init-config", "Write a commented .raymond/config.toml")
    .version(VERSION, "-V, --version", "Show the version")
    .action(async (workflow: string | undefined, options: RootOptions) => {
      if (options.initConfig === true) await writeConfig(workflow, options, root, shell);
      else if (options.resume !== undefined) await resume(workflow, options, shell);
      else if (workflow !== undefined) await run(workflow, options, root, shell);
      else await showHelp(root, shell);
    });
}

/** Writes a file of defaults and nothing else. Other arguments are errors, and never ignored. */
async function writeConfig(
  workflow: string | undefined,
  options: RootOptions,
  root: Command,
  shell: Shell,
): Promise<void> {
  const others = givenFlags(root).filter(
    (flag) => flag !== "--init-config" && flag !== "--state-dir",
  );
  const [other] = workflow === undefined ? others : ["WORKFLOW"];
  if (other !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      `--init-config does not take ${other}.`,
      "Only --state-dir can be combined with --init-config.",
    );
  }
  const { initConfig } = await import("../../author/init-config.ts");
  const file = await initConfig(options, schemasFolder(), shell);
  shell.err.line(`Wrote ${file}. All options are commented out. Uncomment the ones you need.`);
}

async function resume(
  workflow: string | undefined,
  { resume: run, ...options }: RootOptions,
  shell: Shell,
): Promise<void> {
  if (workflow !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--resume continues a run, so it takes no WORKFLOW.",
      "Use: raymond resume RUN",
    );
  }
  const { resumeCommand } = await import("./run/resume.ts");
  shell.exit(await resumeCommand(typeof run === "string" ? run : "latest", options, shell));
}

async function run(
  workflow: string,
  options: RootOptions,
  root: Command,
  shell: Shell,
): Promise<void> {
  refuseUnknownCommand(
    [workflow],
    root.commands.map((command) => command.name()),
    shell.cwd,
  );
  const { runCommand } = await import("./run/run.ts");
  shell.exit(await runCommand(workflow, options, shell));
}

async function showHelp(root: Command, shell: Shell): Promise<void> {
  const [flag] = givenFlags(root);
  if (flag !== undefined) {
    throw cliErrors["cli/missing-argument"](
      `${flag} needs a WORKFLOW.`,
      "Use: raymond WORKFLOW [options]",
    );
  }
  root.outputHelp();
  await requireArrival(shell.out);
}
