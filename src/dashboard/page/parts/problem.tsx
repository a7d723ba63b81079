import type { ProblemJson } from "../../api.ts";
import { shownText } from "../rows/shown-text.ts";

interface Props {
  readonly problem: ProblemJson;
  /** The page shows the last known data. */
  readonly isStale?: boolean;
}

export function Problem({ problem, isStale = false }: Props) {
  return (
    <div class={isStale ? "notice warn" : "notice bad"} role="alert">
      <p>{shownText(problem.message)}</p>
      {problem.hint !== null && <p class="dim">{shownText(problem.hint)}</p>}
      {isStale && <p class="dim">The page shows the last known data and keeps trying.</p>}
    </div>
  );
}
