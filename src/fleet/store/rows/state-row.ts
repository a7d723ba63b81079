import type { RunId, RunState } from "../../../machine/model/run-state.ts";
import { parseDocument } from "../../../storage/codec/parse-document.ts";
import { referenceTo } from "../../../storage/codec/payload.ts";
import { decodeRun, payloadReferences } from "../../../storage/codec/state-document.ts";
import { DamagedStateError } from "../../../storage/errors.ts";
import type { Database } from "../database.ts";

/** A stored state with its long texts. */
export interface StateRow {
  readonly state: string;
  readonly files: readonly string[] | null;
  readonly texts: readonly Buffer[] | null;
}

/** The columns of a {@link StateRow} of the table `row`, and the join for the texts. */
export const stateOf = (row: string) => ({
  columns: `${row}.state, p.files, p.texts`,
  texts: `LEFT JOIN LATERAL (
    SELECT array_agg(file) AS files, array_agg(bytes) AS texts FROM raymond.payloads WHERE run = ${row}.id
  ) AS p ON true`,
});

/** Throws a DamagedStateError or `store/newer-state`. */
export function readState(
  id: RunId,
  { state, files, texts }: StateRow,
  { address }: Pick<Database, "address">,
): RunState {
  const place = `of ${id} in ${address.shown}`;
  const document = parseDocument(state, place);
  if (document.workflow_id !== id) {
    const reason = `is "${document.workflow_id}", but the row belongs to another run`;
    throw new DamagedStateError(place, "workflow_id", reason);
  }
  const found = new Map((files ?? []).map((file, at) => [file, String(texts?.[at] ?? "")]));
  for (const { file, bytes } of payloadReferences(document)) {
    const stored = referenceTo(found.get(file) ?? "");
    if (stored?.file === file && stored.bytes === bytes) continue;
    const reason = `refers to ${file}, which is missing or damaged`;
    throw new DamagedStateError(place, null, reason);
  }
  return decodeRun(document, ({ file }) => found.get(file) ?? "", place);
}
