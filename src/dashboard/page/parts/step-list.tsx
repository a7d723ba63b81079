import { useMemo } from "preact/hooks";
import type { RowsInView } from "../rows/rows-in-view.ts";
import { agentOf, type StepBook } from "../rows/step-book.ts";
import { type StepRow, stepRow } from "../rows/step-row.ts";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly book: StepBook;
  /** Number of the first step. A rerun continues the numbers of its origin. */
  readonly first: number;
  /** Only steps of this agent; null: all. */
  readonly agent: string | null;
  readonly chosen: number | null;
  readonly onChoose: (step: number) => void;
  /** Called with the range of visible steps. */
  readonly onVisible: (low: number, high: number) => void;
  readonly now: number;
}

/** The steps of a run, newest first. Steps that are not loaded yet are placeholders. */
export function StepList({ book, first, agent, chosen, onChoose, onVisible: onSeen, now }: Props) {
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
      onVisible={seen}
      empty="No attempts yet."
      draw={(number) => {
        const step = book.steps.get(number);
        if (step === undefined) return <p class="dim">#{number} …</p>;
        const doing = book.current.get(agentOf(step.started) ?? "");
        const did = doing?.step === number ? doing.events.at(-1) : undefined;
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
        <span class="keep number dim">{row.startedAt.slice(11)}</span>
      </div>
    </>
  );
}
