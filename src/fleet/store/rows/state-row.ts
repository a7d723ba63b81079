import type { RunId, RunState } from "../../../machine/run-state.ts";
import { parseDocument } from "../../../storage/codec/parse-document.ts";
import { referenceTo } from "../../../storage/codec/payload.ts";
import { decodeRun, payloadReferences } from "../../../storage/codec/state-document.ts";
import { DamagedStateError } from "../../../storage/errors.ts";
import type { Database } from "../database.ts";

/** A state, and the long texts that it names, as of one moment. */
export interface StateRow {
  readonly state: string;
  readonly files: readonly string[] | null;
  readonly texts: readonly Buffer[] | null;
}

/** The state of a row of `raymond.runs` that is called so, with its texts: what is selected, and from what. */
export const stateOf = (row: string) => ({
  columns: `${row}.state, p.files, p.texts`,
  texts: `LEFT JOIN LATERAL (
    SELECT array_agg(file) AS files, array_agg(bytes) AS texts FROM raymond.payloads WHERE run = ${row}.id
  ) AS p ON true`,
});

/** The run of such a row. Throws a DamagedStateError or `store/newer-state`. */
export function readState(
  id: RunId,
  { state, files, texts }: StateRow,
  { address }: Pick<Database, "address">,
): RunState {
  const place = `of ${id} in ${address.shown}`;
  const document = parseDocument(state, place);
  if (document.workflow_id !== id) {
    const reason = `is "${document.workflow_id}", but its row is that of another run`;
    throw new DamagedStateError(place, "workflow_id", reason);
  }
  const found = new Map((files ?? []).map((file, at) => [file, String(texts?.[at] ?? "")]));
  for (const { file, bytes } of payloadReferences(document)) {
    const text = found.get(file);
    const named = text === undefined ? null : referenceTo(text);
    if (named?.file === file && named.bytes === bytes) continue;
    const reason = `refers to ${file}, which is not there as it was written`;
    throw new DamagedStateError(place, null, reason);
  }
  return decodeRun(document, ({ file }) => found.get(file) ?? "", place);
}
