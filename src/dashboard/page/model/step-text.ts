import type { LoggedJson, StepDetailJson } from "../../../inspect/json/shapes.ts";
import { diffLines } from "../../../language/basics/line-diff.ts";
import { isTruncated } from "../../../log/truncate.ts";
import { stringIn } from "./step.ts";
import { type CurrentStep, isProgress } from "./step-book.ts";

export interface Piece {
  readonly kind: "message" | "notice" | "stdout" | "stderr" | "tool";
  readonly seq: number;
  readonly text: string;
  /** Only for `tool`. */
  readonly tool?: string;
}

/** The output of a step in order: the loaded part, then live events. */
export function piecesOf(
  detail: Pick<StepDetailJson, "did" | "said" | "step">,
  current: CurrentStep | undefined,
): readonly Piece[] {
  const loaded = detail.did.at(-1)?.seq ?? 0;
  const isCurrent = current?.step === detail.step;
  const later = isCurrent ? current.events.filter(({ seq }) => seq > loaded) : [];
  return joined([...withFullMessages(detail), ...later].filter(isProgress).map(pieceOf));
}

/** Replaces messages that the log truncates with the complete ones, if they are available. */
function withFullMessages({
  did,
  said,
}: Pick<StepDetailJson, "did" | "said">): readonly LoggedJson[] {
  const messages = did.filter(({ type }) => type === "step.message");
  const isCut = messages.some((event) => isTruncated(stringIn(event, "text")));
  if (!isCut || messages.length !== said.length) return did;
  const texts = new Map(messages.map(({ seq }, at) => [seq, said[at]]));
  return did.map((event) => ({ ...event, text: texts.get(event.seq) ?? event["text"] }));
}

function pieceOf(event: LoggedJson): Piece {
  const { seq } = event;
  const text = stringIn(event, "text");
  switch (event.type) {
    case "step.tool":
      return {
        kind: "tool",
        seq,
        tool: stringIn(event, "tool"),
        text: stringIn(event, "argument"),
      };
    case "step.output":
      return { kind: event["stream"] === "stderr" ? "stderr" : "stdout", seq, text };
    default:
      return { kind: event.type === "step.notice" ? "notice" : "message", seq, text };
  }
}

/** Joins consecutive lines of the same output stream. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const isOutput = piece.kind === "stdout" || piece.kind === "stderr";
    if (isOutput && last?.kind === piece.kind) {
      all[all.length - 1] = { ...last, text: `${last.text}\n${piece.text}` };
    } else all.push(piece);
  }
  return all;
}

type StepTexts = Pick<StepDetailJson, "said" | "stdout">;

/** Line diff of the texts of two steps: `- ` the first, `+ ` the second. Null: the step does not exist. */
export function diffTexts(left: StepTexts | null, right: StepTexts | null): readonly string[] {
  const [before, after] = [linesOf(left), linesOf(right)];
  if (before.length + after.length === 0) return ["  No output."];
  const shown = diffLines(before.slice(0, MAX_LINES), after.slice(0, MAX_LINES));
  const isComplete = Math.max(before.length, after.length) <= MAX_LINES;
  return isComplete
    ? shown
    : [...shown, `  … only the first ${String(MAX_LINES)} lines of each are compared`];
}

/** The time of a diff grows with the square of the lines. */
const MAX_LINES = 500;

function linesOf(step: StepTexts | null): readonly string[] {
  if (step === null) return [];
  const text = step.said.length > 0 ? step.said.join("\n") : step.stdout;
  return text === "" ? [] : text.trimEnd().split("\n");
}
