import type { Command } from "commander";
import { parseCount } from "../../../config/flags.ts";
import { formatActor } from "../../../console/format/format-actor.ts";
import { localMoment } from "../../../console/local-time.ts";
import { type AuditRecord, listAudit } from "../../../fleet/store/audit.ts";
import { printable } from "../../../log/printable.ts";
import { examples, FLEET_URL, JSON_LINES } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";
import { printList } from "./print-list.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--run <run>", "Only commands to this run")
    .option(
      "--limit <n>",
      "Maximum number of commands, the last ones; 0 for all",
      String(DEFAULT_LIMIT),
    )
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet audit", "Show the last commands"],
        ["raymond fleet audit --run k3x9qd", "Show who controlled a run"],
      ),
    )
    .action((options: AuditOptions) => auditCommand(options, shell));
}

const DEFAULT_LIMIT = 50;

interface AuditOptions extends FleetOptions {
  readonly run?: string;
  readonly limit: string;
}

async function auditCommand(options: AuditOptions, shell: Shell): Promise<void> {
  const limit = parseCount("--limit", options.limit);
  const records = await withFleet(options, shell, async ({ database, named }) => {
    const { run } = options;
    // Entries of deleted runs remain: they are found by the complete id.
    const runs = run === undefined ? null : [...(await named(run)).slice(0, 1), run];
    return listAudit(database, { runs, limit: limit === 0 ? null : limit });
  });
  const format = {
    headings: ["at", "action", "run", "by", "database user", "detail"],
    cells: ({ at, action, run, actor, dbUser, detail }: AuditRecord) => [
      localMoment(at.getTime(), shell.now()),
      ...[action, run ?? "–", formatActor(actor), dbUser, detail].map(printable),
    ],
    json: auditJson,
    empty: "No commands were recorded.",
  };
  printList(records, format, options, shell);
}

function auditJson({ at, action, run, actor, dbUser, detail }: AuditRecord): object {
  const { user, host, via, sudoUser } = actor;
  return {
    ...{ at: at.toISOString(), action, run, user, host, via },
    ...{ sudo_user: sudoUser ?? null, db_user: dbUser, detail },
  };
}
