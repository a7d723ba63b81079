import { useState } from "preact/hooks";
import {
  countedFrom,
  type DivergenceJson,
  divergenceHead,
  divergenceLines,
  figureRows,
  headOf,
  stateRows,
} from "../../../inspect/json/runs-diff-words.ts";
import type { RunsDiffJson, StepDetailJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { useNow } from "../hooks/browser.ts";
import { type Loaded, useResource } from "../hooks/use-resource.ts";
import type { FollowedRun } from "../hooks/use-run.ts";
import { stepCost, stepDuration, stepText, stringIn } from "../model/step.ts";
import { diffTexts } from "../model/step-text.ts";
import { printRoute, runRoute } from "../route.ts";
import { addressOf } from "../server.ts";
import { Problem, Resource } from "./basics.tsx";
import { FigureTable } from "./table.tsx";

interface Props {
  /** `FolderJson.folder` of both runs. */
  readonly folder: string;
  readonly run: FollowedRun;
  /** Id of the original run; undefined if the run is not a rerun. */
  readonly origin: string | undefined;
}

/** Differences between a rerun and its origin, as in `raymond diff-runs`. */
export function RerunPane({ folder, run: { address, version }, origin }: Props) {
  const path = `${address}/diff?with=${encodeURIComponent(origin ?? "")}`;
  const diff = useResource<RunsDiffJson>(origin === undefined ? null : path, version);
  return (
    <div class="body changes">
      <h2>Changes since the original run</h2>
      <Resource of={diff}>{(loaded) => <Changes folder={folder} diff={loaded} />}</Resource>
    </div>
  );
}

/** Agents to show at first, and more with each click. */
const PAGE_AGENTS = 20;
const MAX_RESULTS = 8;

interface ChangesProps {
  readonly folder: string;
  readonly diff: RunsDiffJson;
}

function Changes({ folder, diff }: ChangesProps) {
  const [shown, setShown] = useState(PAGE_AGENTS);
  const { divergences, other_results: results } = diff;
  const from = countedFrom(diff);
  const more = divergences.length - shown;
  return (
    <>
      <p>{headOf(diff)}</p>
      {from !== null && <p class="dim">{from}</p>}
      {divergences.slice(0, shown).map((divergence) => (
        <Divergence key={divergence.agent} {...{ divergence, diff, folder }} />
      ))}
      {more > 0 && (
        <button
          type="button"
          onClick={() => {
            setShown(shown + PAGE_AGENTS);
          }}
        >
          Show {counted(Math.min(more, PAGE_AGENTS), "more agent")}
        </button>
      )}
      <FigureTable rows={figureRows(diff)} />
      <FigureTable rows={stateRows(diff)} />
      {results.length > 0 && (
        <p>
          Other results: {results.slice(0, MAX_RESULTS).join(", ")}
          {results.length > MAX_RESULTS && " …"}
        </p>
      )}
    </>
  );
}

function Divergence({
  divergence,
  diff,
  folder,
}: ChangesProps & { readonly divergence: DivergenceJson }) {
  const [isOpen, setOpen] = useState(false);
  const side = (run: string, step: number | undefined) => ({ folder, run, step: step ?? null });
  return (
    <section aria-label={divergence.agent}>
      <h3>{divergenceHead(divergence)}</h3>
      <DiffText lines={divergenceLines(divergence)} />
      <details
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>Output of both steps</summary>
        {isOpen && (
          <StepDiff
            left={side(diff.left.workflow_id, divergence.left?.step)}
            right={side(diff.right.workflow_id, divergence.right?.step)}
          />
        )}
      </details>
    </section>
  );
}

interface Side {
  readonly folder: string;
  readonly run: string;
  readonly step: number | null;
}

/** Outcome, cost and text diff of the two steps. */
function StepDiff({ left, right }: { readonly left: Side; readonly right: Side }) {
  const before = useStep(left);
  const after = useStep(right);
  const isLoaded = (step: number | null, loaded: Loaded<unknown>) =>
    step === null || loaded.value !== null;
  return (
    <>
      <ul>
        <StepOutcome sign="-" side={left} loaded={before} />
        <StepOutcome sign="+" side={right} loaded={after} />
      </ul>
      {isLoaded(left.step, before) && isLoaded(right.step, after) && (
        <DiffText lines={diffTexts(before.value, after.value)} />
      )}
    </>
  );
}

function useStep({ folder, run, step }: Side): Loaded<StepDetailJson> {
  return useResource(step === null ? null : `${addressOf(folder, run)}/steps/${String(step)}`, 0);
}

interface OutcomeProps {
  readonly sign: string;
  readonly side: Side;
  readonly loaded: Loaded<StepDetailJson>;
}

function StepOutcome({ sign, side, loaded: { value, problem } }: OutcomeProps) {
  const { folder, run, step } = side;
  const now = useNow();
  const facts =
    value === null
      ? []
      : [
          stringIn(value.started, "state"),
          stepText(value),
          stepDuration(value, now),
          stepCost(value),
        ];
  return (
    <li>
      <span class="mono">{sign}</span>{" "}
      {step === null ? (
        `${run}: no further step`
      ) : (
        <a href={printRoute(runRoute(folder, run, step))}>
          step {step} of {run}
        </a>
      )}
      <span class="dim"> {facts.filter(Boolean).join(" · ")}</span>
      {problem !== null && <Problem problem={problem} />}
    </li>
  );
}

/** Lines of a diff: colors repeat the signs. */
function DiffText({ lines }: { readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
    <pre class="text scroll" tabIndex={0}>
      {lines.map((line, at) => (
        <div key={at} class={line.startsWith("- ") ? "bad" : line.startsWith("+ ") ? "good" : ""}>
          {line}
        </div>
      ))}
    </pre>
  );
}
