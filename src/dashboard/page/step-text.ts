import { isBounded } from "../../observers/bounded.ts";
import type { LoggedJson, StepDetailJson } from "../../runs/json/shapes.ts";
import { shownText } from "./shown-text.ts";
import { type Doing, isDoing } from "./step-book.ts";

/** A piece of what a step has said or done: all of it text that is safe to show. */
export type Piece =
  | {
      readonly kind: "message" | "notice" | "stdout" | "stderr";
      readonly seq: number;
      readonly text: string;
    }
  | { readonly kind: "tool"; readonly seq: number; readonly tool: string; readonly text: string };

/** What a step has done, in its order: what the server knows of it, and what was told here since. */
export function piecesOf(
  detail: Pick<StepDetailJson, "did" | "said" | "step">,
  doing: Doing | undefined,
): readonly Piece[] {
  const known = detail.did.at(-1)?.seq ?? 0;
  const since = doing?.step === detail.step ? doing.did.filter(({ seq }) => seq > known) : [];
  return joined([...whole(detail), ...since].flatMap(pieceOf));
}

/** The log has the beginning of long messages: where the whole ones are known, they stand in their places. */
function whole({ did, said }: Pick<StepDetailJson, "did" | "said">): readonly LoggedJson[] {
  const messages = did.filter(({ type }) => type === "step.message");
  const isCut = messages.some(({ text }) => typeof text === "string" && isBounded(text));
  if (!isCut || messages.length !== said.length) return did;
  const texts = new Map(messages.map(({ seq }, at) => [seq, said[at]]));
  return did.map((event) => ({ ...event, text: texts.get(event.seq) ?? event["text"] }));
}

function pieceOf(event: LoggedJson): readonly Piece[] {
  if (!isDoing(event)) return [];
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

/** Lines of one output that follow each other are one piece. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const goesOn = piece.kind === "stdout" || piece.kind === "stderr";
    if (goesOn && last?.kind === piece.kind) {
      all[all.length - 1] = { ...last, text: `${last.text}\n${piece.text}` };
    } else all.push(piece);
  }
  return all;
}
