import { useMemo } from "preact/hooks";
import type { RowsInView } from "../rows-in-view.ts";
import { agentOf, type StepBook } from "../step-book.ts";
import { type StepRow, stepRow } from "../step-row.ts";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly book: StepBook;
  /** The number of the run's first step: those of a rerun go on from the run that it comes from. */
  readonly first: number;
  /** Only those of this agent; null: of all. */
  readonly agent: string | null;
  readonly chosen: number | null;
  readonly onChoose: (step: number) => void;
  /** Is told which numbers are seen, the first and the last one. */
  readonly onSeen: (low: number, high: number) => void;
  readonly now: number;
}

/** The steps of a run, the newest first. What is not known here yet has its place all the same. */
export function StepList({ book, first, agent, chosen, onChoose, onSeen, now }: Props) {
  const numbers = useMemo(() => {
    if (agent === null)
      return Array.from({ length: Math.max(0, book.last - first + 1) }, (_, at) => book.last - at);
    const own = [...book.steps.values()].filter(({ started }) => agentOf(started) === agent);
    return own.map(({ step }) => step).sort((a, b) => b - a);
  }, [book.last, first, agent, agent === null ? null : book.steps]);
  const seen = ({ first, end }: RowsInView) => {
    const [high, low] = [numbers[first], numbers[end - 1]];
    if (agent === null && high !== undefined && low !== undefined) onSeen(low, high);
  };
  return (
    <VirtualList
      label="Attempts"
      rows={numbers}
      rowHeight={56}
      keyOf={String}
      chosen={chosen === null ? null : String(chosen)}
      onChoose={onChoose}
      onSeen={seen}
      empty="No attempt yet."
      draw={(number) => {
        const step = book.steps.get(number);
        if (step === undefined) return <p class="dim">#{number} …</p>;
        const doing = book.doing.get(agentOf(step.started) ?? "");
        const did = doing?.step === number ? doing.did.at(-1) : undefined;
        return <Row row={stepRow(step, did, now)} />;
      }}
    />
  );
}

function Row({ row }: { readonly row: StepRow }) {
  return (
    <>
      <div>
        <span class={`keep ${row.tone}`} aria-hidden="true">
          {row.symbol}
        </span>
        <span class="hidden-words">{row.outcome}</span>
        <strong>{row.state}</strong>
        <span class="dim grow">
          {row.agent} <span class="mono">#{row.number}</span>
        </span>
        <span class="keep number">{row.cost}</span>
        <span class="keep number dim">{row.took}</span>
      </div>
      <div>
        <span class="grow dim">{row.text}</span>
        <span class="keep number dim">{row.began.slice(11)}</span>
      </div>
    </>
  );
}
