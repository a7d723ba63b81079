import { type Check, ok, warning } from "../inspect/check.ts";
import { printable } from "../log/printable.ts";
import type { ProjectSettings } from "../wire/trust/client-project.ts";
import type { TrustSubject } from "../wire/trust/trusted.ts";

/** What the project brings that needs trust (docs/trust.md, "Trusting a project"). */
export interface BroughtSettings {
  /** The file of raymond that is not trusted; null: there is none, or it is trusted. */
  readonly config: TrustSubject | null;
  /** The name of a coding agent. */
  readonly agent: string;
  readonly client: ProjectSettings;
  /** `--trust-project`. */
  readonly given: boolean;
}

const NAME = "trust";

/** Whether settings of the project are trusted, and what a run without a terminal would do. */
export function checkTrust({ config, agent, client, given }: BroughtSettings): readonly Check[] {
  const { subject } = client;
  const checks = [
    ...(config === null
      ? []
      : [
          pending(
            config,
            given,
            "--trust-project",
            `${config.file} is in the git repository and sets`,
          ),
        ]),
    ...(subject === null || client.state !== "untrusted" ? [] : [untrustedClient(subject, given)]),
  ];
  if (checks.length > 0) return checks;
  switch (client.state) {
    case "none":
      return [ok(NAME, `the project brings no settings for ${agent} that need trust`)];
    case "ignored":
      return [
        ok(NAME, "prompts run without the settings of the project (ignore_project_settings)"),
      ];
    case "trusted":
    case "untrusted":
      return [ok(NAME, `the settings of ${printable(subject?.file ?? "")} are trusted`)];
  }
}

function untrustedClient(subject: TrustSubject, given: boolean): Check {
  const flags = "--trust-project or --ignore-project-settings";
  return pending(subject, given, flags, `${subject.file} has settings for ${subject.by}:`);
}

function pending(
  { statements }: TrustSubject,
  given: boolean,
  flags: string,
  brought: string,
): Check {
  const more = statements.length > SHOWN ? `; and ${String(statements.length - SHOWN)} more` : "";
  const listed = `${statements.slice(0, SHOWN).join("; ")}${more}`;
  if (given) return ok(NAME, printable(`trusted by --trust-project: ${brought} ${listed}`));
  return warning(
    NAME,
    printable(`not trusted: ${brought} ${listed}.`),
    `A run asks at a terminal, and is refused without one (exit code 2). Check the settings, then use ${flags}.`,
  );
}

const SHOWN = 5;
