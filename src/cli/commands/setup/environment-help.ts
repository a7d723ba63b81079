import { allOptions } from "../../../config/settings.ts";

/** The variables of the environment by use, each with a sentence: for the help, the man page and docs/cli.md. */
export function environmentTables(): readonly {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
}[] {
  const settings = allOptions().flatMap(({ variable, help }) =>
    variable === undefined ? [] : [[variable, help.replace(/\.$/, "")] as const],
  );
  return [
    {
      title: "Read by raymond (flags override them, they override .raymond/config.toml)",
      rows: [
        ...settings,
        ["RAYMOND_FLEET", "URL of the database of a fleet. Not passed on to steps"],
        ["RAYMOND_FLEET_FILE", "File that contains that URL"],
        ["NO_COLOR, FORCE_COLOR", "Disable or force color on standard error"],
        ["COLUMNS", "Width of tables if standard output is not a terminal"],
        ["VISUAL, EDITOR", "Editor of raymond rerun --edit"],
        ["GITHUB_STEP_SUMMARY", "File that raymond report --github-summary appends to"],
      ],
    },
    {
      title: "Set for scripts",
      rows: [
        ["RAYMOND_RESULT", "Payload of the <result> that the state received, or --input"],
        ["RAYMOND_RESULT_FILE", "File that contains it"],
        ["RAYMOND_INPUT", "Same as RAYMOND_RESULT"],
        ["RAYMOND_INPUT_FILE", "Same as RAYMOND_RESULT_FILE"],
        ["RAYMOND_STATE_DIR", "Directory of the workflow's states (not that of --state-dir)"],
        ["RAYMOND_STATE_FILE", "Path of the script"],
        ["RAYMOND_WORKFLOW_ID", "ID of the run (--run-id)"],
        ["RAYMOND_AGENT_ID", "ID of the agent"],
        ["RAYMOND_ATTRIBUTES", "Attributes of the agent as a JSON object"],
        ["RAYMOND_ATTEMPT", "1, or more if this step may have been started before"],
      ],
    },
  ];
}

/** `raymond help environment`. */
export function environmentText(): string {
  return environmentTables()
    .map(({ title, rows }) =>
      [`${title}:`, "", ...rows.map(([name, text]) => `${name.padEnd(WIDTH)}  ${text}`)].join("\n"),
    )
    .join("\n\n");
}

const WIDTH = 21;
