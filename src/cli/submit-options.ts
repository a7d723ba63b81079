import { type Command, Option } from "commander";

/** Adds what a submitted run takes beside the options of a run. */
export function addSubmitOptions(command: Command): Command {
  return command
    .optionsGroup("Where it runs:")
    .option("--pool <pool>", "the workers that may take it (default: default)")
    .option(
      "--account <account>",
      "the account that its prompts are paid by (default: the worker's own)",
    )
    .option("--machine <machine>", "only this machine")
    .option(
      "--workspace <kind>",
      "local: on the machine that takes it; shared: at the same path on all; git: in a clone (default: local)",
    )
    .option(
      "--folder <dir>",
      "the folder that it works in (default: of its own; shared, git: this one)",
    )
    .option("--repository <url>", "with git: what is cloned (default: origin of the current one)")
    .option("--commit <rev>", "with git: the commit that it begins at (default: HEAD)")
    .option(
      "--sessions <where>",
      "keep conversations for other machines: pg, dir:PATH, or home: not (default: home)",
    )
    .option(
      "--failover-after <duration>",
      "let another machine go on when its own is gone for so long (default: 2m)",
    )
    .option("--at <time>", "begin then: a moment, or a duration from now")
    .option(
      "--every <cron>",
      'make a schedule: begin such a run whenever cron says, as "0 3 * * *" or @hourly',
    )
    .option("--time-zone <zone>", "that of --every, such as Europe/Berlin (default: UTC)")
    .addOption(new WaitOption("--wait", "show the run until it has ended, and end as it does"))
    .option("--no-wait", "stop the run at a usage limit or an outage, and do not wait there")
    .option("--url <url>", "the database, postgresql://…, in place of what RAYMOND_FLEET says");
}

/** Not the other form of `--no-wait`, which is a setting of the run: both may be given. */
class WaitOption extends Option {
  override attributeName(): string {
    return "untilEnd";
  }
}
