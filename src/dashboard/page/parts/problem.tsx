import type { ProblemJson } from "../../api.ts";
import { shownText } from "../shown-text.ts";

/** What failed, and what to do. */
export function Problem({ problem }: { readonly problem: ProblemJson }) {
  return (
    <div class="notice bad" role="alert">
      <p>{shownText(problem.message)}</p>
      {problem.hint !== null && <p class="dim">{shownText(problem.hint)}</p>}
    </div>
  );
}
