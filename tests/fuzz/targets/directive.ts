import { RaymondError } from "../../../src/language/basics/errors.ts";
import { parseScript } from "../../../src/language/workflow/policy/directive.ts";
import type { Target } from "../target.ts";

/** The head of a script: settings or a RaymondError. */
export const directiveTarget: Target = {
  name: "directive",
  words: [
    ...["# raymond: ", "REM raymond: ", ":: raymond:", "@rem raymond:", "timeout=", "retries="],
    ...["backoff=", "on_error=", "max_visits=", "90s", "1h30m", "-1", "=", "\n", "\r", "\r\n"],
    ...["\ufeff", "\u0000", "\u2028", " ", "\t", "../X", "#!/bin/bash\n"],
  ],
  seeds: () => [],
  broken(input) {
    for (const name of ["S.sh", "S.bat"]) {
      try {
        const script = parseScript(name, input.toString());
        const { timeoutMs, backoffMs, retries } = script;
        for (const figure of [timeoutMs ?? 0, backoffMs, retries]) {
          if (!Number.isFinite(figure) || figure < 0) return `A setting is ${String(figure)}.`;
        }
        if (/[/\\\0]/.test(script.onError?.target ?? ""))
          return "on_error leads out of the folder.";
      } catch (error) {
        if (!(error instanceof RaymondError)) throw error;
      }
    }
    return null;
  },
};
