import { type Check, ok, warning } from "../inspect/check.ts";
import { printable } from "../log/printable.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { type Trusting, untrustedHere } from "../run/trust.ts";
import type { Caller } from "../wire/caller.ts";
import { shortList, UNTRUSTED } from "../wire/errors.ts";
import type { Place } from "../wire/stores.ts";
import { ignoresProject } from "../wire/trust/client-project.ts";
import type { TrustSubject } from "../wire/trust/trusted.ts";

const NAME = "trust";

/** What the project brings and is not trusted, and what a run without a terminal would do (docs/trust.md). */
export async function checkTrust(
  options: Place & Trusting,
  settings: Pick<RunSettings, "switches">,
  caller: Caller,
): Promise<{
  readonly checks: readonly Check[];
  readonly untrusted: ReadonlySet<TrustSubject["kind"]>;
}> {
  // Other checks report a configuration that cannot be read.
  const found = await untrustedHere(options, caller).catch(() => []);
  const pending = found.map(({ subject, untrusted }) => {
    const text = printable(
      `${subject.place} ${UNTRUSTED[subject.kind].problem}: ${shortList(untrusted)}`,
    );
    if (subject.kind === "files" && ignoresProject(settings)) {
      return ok(NAME, "prompts run without the settings of the project (ignore_project_settings)");
    }
    if (options.trustProject === true) return ok(NAME, `trusted by --trust-project: ${text}`);
    return warning(
      NAME,
      `${text}.`,
      "A run asks at a terminal, and is refused without one (exit code 2). Check this, then run `raymond trust`.",
    );
  });
  const nothing = ok(NAME, "the project brings nothing that is not trusted");
  return {
    checks: pending.length === 0 ? [nothing] : pending,
    untrusted: new Set(found.map(({ subject }) => subject.kind)),
  };
}
