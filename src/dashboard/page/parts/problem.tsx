import type { ProblemJson } from "../../api.ts";
import { shownText } from "../shown-text.ts";

interface Props {
  readonly problem: ProblemJson;
  /** What is shown beside it is how it stood before. */
  readonly isStale?: boolean;
}

/** What failed, and what to do. */
export function Problem({ problem, isStale = false }: Props) {
  return (
    <div class={isStale ? "notice warn" : "notice bad"} role="alert">
      <p>{shownText(problem.message)}</p>
      {problem.hint !== null && <p class="dim">{shownText(problem.hint)}</p>}
      {isStale && <p class="dim">Below is what was known last. It is looked for again.</p>}
    </div>
  );
}
