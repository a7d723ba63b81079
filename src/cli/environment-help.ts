import { allOptions } from "../config/settings.ts";

/** The text of `raymond help environment`: the variables that are read, and those that scripts get. */
export function environmentText(): string {
  const variables = allOptions().flatMap(({ variable, help }) =>
    variable === undefined ? [] : [`${variable.padEnd(VARIABLE_WIDTH)}  ${help}`],
  );
  return `Read by raymond (flags go before them, .raymond/config.toml after them):

${variables.join("\n")}
${"NO_COLOR, FORCE_COLOR".padEnd(VARIABLE_WIDTH)}  Never, or always, use colour on standard error.
${"RAYMOND_FLEET".padEnd(VARIABLE_WIDTH)}  URL of the database of a fleet. Not passed on to steps.
${"RAYMOND_FLEET_FILE".padEnd(VARIABLE_WIDTH)}  File that contains that URL.

Set for scripts:

RAYMOND_RESULT         The payload of the <result> that woke the state, or --input.
RAYMOND_RESULT_FILE    A file that holds it.
RAYMOND_INPUT          The same as RAYMOND_RESULT, and RAYMOND_INPUT_FILE as its file.
RAYMOND_STATE_DIR      The folder of the workflow (--state-dir is that of runs).
RAYMOND_STATE_FILE     The script itself.
RAYMOND_WORKFLOW_ID    The id of the run.
RAYMOND_AGENT_ID       The id of the agent.
RAYMOND_ATTRIBUTES     The attributes of the agent as a JSON object.
RAYMOND_ATTEMPT        1; more when this step may have been started before.`;
}

const VARIABLE_WIDTH = 21;
