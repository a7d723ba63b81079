import { useState } from "preact/hooks";
import { fileWords, formatChanges } from "../../../console/format/format-changes.ts";
import type { StepDetailJson } from "../../../inspect/json/shapes.ts";
import { decodeEvent } from "../../../log/codec/event-json.ts";
import type { StepDiffJson } from "../../api.ts";
import { useResource } from "../hooks/use-resource.ts";
import { Resource } from "./basics.tsx";

interface Props {
  readonly detail: StepDetailJson;
  /** The address of the step; null: the run is gone. */
  readonly path: string | null;
}

/** The files that a step changed. Its diff is loaded on demand. */
export function StepChanges({ detail: { ended, changes }, path }: Props) {
  const [isOpen, setOpen] = useState(false);
  const event = ended === null ? null : decodeEvent(ended);
  const figures = event?.type === "step.ended" ? event.changes : undefined;
  if (figures === undefined || figures.files === 0) return null;
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>Changes: {formatChanges(figures)}</summary>
      {figures.shared === true && (
        <p class="dim">Steps that ran at the same time in this folder are included.</p>
      )}
      <ul class="mono">
        {(changes ?? []).slice(0, MOST_FILES).map((change) => (
          <li key={change.file}>{fileWords(change)}</li>
        ))}
      </ul>
      {isOpen && <Diff path={path} />}
    </details>
  );
}

const MOST_FILES = 200;

function Diff({ path }: Pick<Props, "path">) {
  const diff = useResource<StepDiffJson>(path === null ? null : `${path}/diff`, 0);
  return (
    <Resource of={diff}>
      {({ text, cut }) => (
        <>
          <pre class="text scroll">{text}</pre>
          {cut && <p class="dim">The diff is longer: raymond diff shows all of it.</p>}
        </>
      )}
    </Resource>
  );
}
