import { counted } from "../../language/basics/counted.ts";
import type { StepChanges } from "../../machine/model/step-changes.ts";

type Figures = Pick<StepChanges, "files" | "added" | "removed">;

/** `2 files, +12 −3`. */
export function formatChanges({ files, added, removed }: Figures): string {
  return `${counted(files, "file")}, ${formatLines({ added, removed })}`;
}

function formatLines({ added, removed }: Omit<Figures, "files">): string {
  return `+${String(added)} −${String(removed)}`;
}

/** `src/a.ts  +3 −1`, `b.bin  binary, deleted`. */
export function fileWords({
  file,
  kind,
  added,
  removed,
}: {
  readonly file: string;
  readonly kind: "added" | "deleted" | "modified";
  readonly added: number | null;
  readonly removed: number | null;
}): string {
  const lines = added === null || removed === null ? "binary" : formatLines({ added, removed });
  const what = kind === "modified" ? "" : `, ${kind === "added" ? "new" : "deleted"}`;
  return `${file}  ${lines}${what}`;
}
