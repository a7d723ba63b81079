import type { LoggedJson, StepDetailJson } from "../../../inspect/json/shapes.ts";
import { isTruncated } from "../../../log/truncate.ts";
import { shownText } from "./shown-text.ts";
import { type CurrentStep, isProgress } from "./step-book.ts";

/** A part of the output of a step. All texts are safe to display. */
export type Piece =
  | {
      readonly kind: "message" | "notice" | "stdout" | "stderr";
      readonly seq: number;
      readonly text: string;
    }
  | { readonly kind: "tool"; readonly seq: number; readonly tool: string; readonly text: string };

/** The output of a step in order: the loaded part, then live events. */
export function piecesOf(
  detail: Pick<StepDetailJson, "did" | "said" | "step">,
  doing: CurrentStep | undefined,
): readonly Piece[] {
  const known = detail.did.at(-1)?.seq ?? 0;
  const since = doing?.step === detail.step ? doing.events.filter(({ seq }) => seq > known) : [];
  return joined([...whole(detail), ...since].flatMap(pieceOf));
}

/** Replaces messages that the log truncates with the complete ones, if they are available. */
function whole({ did, said }: Pick<StepDetailJson, "did" | "said">): readonly LoggedJson[] {
  const messages = did.filter(({ type }) => type === "step.message");
  const isCut = messages.some(({ text }) => typeof text === "string" && isTruncated(text));
  if (!isCut || messages.length !== said.length) return did;
  const texts = new Map(messages.map(({ seq }, at) => [seq, said[at]]));
  return did.map((event) => ({ ...event, text: texts.get(event.seq) ?? event["text"] }));
}

function pieceOf(event: LoggedJson): readonly Piece[] {
  if (!isProgress(event)) return [];
  const { seq } = event;
  const of = (key: string) => shownText(typeof event[key] === "string" ? event[key] : "");
  switch (event.type) {
    case "step.tool":
      return [{ kind: "tool", seq, tool: of("tool"), text: of("argument") }];
    case "step.output":
      return [{ kind: event["stream"] === "stderr" ? "stderr" : "stdout", seq, text: of("text") }];
    case "step.notice":
      return [{ kind: "notice", seq, text: of("text") }];
    default:
      return [{ kind: "message", seq, text: of("text") }];
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
