import path from "node:path";
import { isSimulated } from "../../engine/ports/backend.ts";
import {
  type AskedQuestion,
  heldStatus,
  type LockHolder,
  type RunSummary,
} from "../../engine/ports/store.ts";
import { errorCode, isMissing } from "../../language/basics/error-code.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { answerName } from "../answer-files.ts";
import type { Disk } from "../disk.ts";
import { DamagedStateError } from "../errors.ts";
import { artifactsOf, type RunHome } from "../run-home.ts";
import { parseDocument } from "./parse-document.ts";
import { type PayloadReference, referenceTo } from "./payload.ts";
import { decodeRun, payloadReferences, type StateDocument } from "./state-document.ts";
import { usd } from "./values.ts";

/** The last saved state; undefined if there is none. */
export async function loadRun(disk: Disk, home: RunHome): Promise<RunState | undefined> {
  for (;;) {
    const text = await readText(disk, home.stateFile);
    if (text === null) return undefined;
    const document = parseState(text, home);
    const payloads = await readPayloads(disk, home, document);
    if (payloads.missing === null) return decodeRun(document, payloads.open, home.stateFile);
    // Another process may have saved since: then there is a newer state file with other references.
    if ((await readText(disk, home.stateFile)) === text) {
      throw new DamagedStateError(
        home.stateFile,
        null,
        `references ${path.join(home.folder, payloads.missing.file)}, which is missing or was changed`,
      );
    }
  }
}

/** The entry of a run in `raymond list`; null if the run was deleted in the meantime. */
export async function summarize(
  disk: Disk,
  home: RunHome,
  holderIn: (home: RunHome) => Promise<LockHolder | null>,
): Promise<RunSummary | null> {
  try {
    const found = await readHeld(disk, home, holderIn);
    if (found === null) return null;
    const { document, live, holder } = found;
    return {
      id: home.id,
      status: live ? heldStatus(document.status, holder) : document.status,
      holder,
      workflow: document.workflow.path,
      simulated: isSimulated(document.backend),
      costMicroUsd: usd.decode(document.total_cost_usd),
      origin: document.origin ?? null,
      steps: document.steps,
      agents: document.agents.length,
      startedAt: document.started_at,
      updatedAt: document.updated_at,
      questions: await questionsIn(disk, home, document),
      waitsUntil: live && document.status === "waiting" ? waitsUntil(document) : null,
      problem: null,
    };
  } catch (error) {
    const problem = error instanceof RaymondError || errorCode(error) !== null;
    if (!problem || !(error instanceof Error)) throw error;
    return unreadable(disk, home, error.message);
  }
}

/** A state and its holder at the same time: a run that ends is saved before its lock is released. */
async function readHeld(
  disk: Disk,
  home: RunHome,
  holderIn: (home: RunHome) => Promise<LockHolder | null>,
) {
  for (let text = await readText(disk, home.stateFile); text !== null; ) {
    const document = parseState(text, home);
    const live = document.status === "running" || document.status === "waiting";
    const holder = live ? await holderIn(home) : null;
    const later = live && holder === null ? await readText(disk, home.stateFile) : text;
    if (later === text) return { document, live, holder };
    text = later;
  }
  return null;
}

async function questionsIn(
  disk: Disk,
  home: RunHome,
  { agents }: StateDocument,
): Promise<readonly AskedQuestion[]> {
  const asked = agents.flatMap(({ id: agent, activity }) => {
    if (activity?.type !== "waiting" || activity.for.kind !== "answer") return [];
    const { number, question: text, options, from: state } = activity.for;
    const question = typeof text === "string" ? text : null;
    return [{ agent, state, number, question, options, until: activity.until }];
  });
  if (asked.length === 0) return [];
  const names = new Set(await disk.names(artifactsOf(home).answers));
  return asked.map((question) => ({ ...question, answered: names.has(answerName(question)) }));
}

/** The earliest time that the run waits for. */
function waitsUntil({ waits, agents }: StateDocument): string | null {
  const moments = agents.flatMap(({ activity }) =>
    activity?.type === "waiting" ? activity.until : [],
  );
  // All have the same format, so they sort as texts.
  return [...Object.values(waits).map(({ until }) => until), ...moments].sort()[0] ?? null;
}

/** Null if the file does not exist. */
async function readText(disk: Disk, file: string): Promise<string | null> {
  try {
    return (await disk.read(file)).toString();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function parseState(text: string, home: RunHome): StateDocument {
  const document = parseDocument(text, home.stateFile);
  if (document.workflow_id !== home.id) {
    const reason = `is "${document.workflow_id}", but the file is named after another run`;
    throw new DamagedStateError(home.stateFile, "workflow_id", reason);
  }
  return document;
}

interface OpenPayloads {
  /** The first reference to a text that is missing or was changed. */
  readonly missing: PayloadReference | null;
  readonly open: (reference: PayloadReference) => string;
}

async function readPayloads(
  disk: Disk,
  home: RunHome,
  document: StateDocument,
): Promise<OpenPayloads> {
  const texts = new Map<string, string>();
  const open = ({ file }: PayloadReference) => {
    const text = texts.get(file);
    if (text === undefined) throw new Error(`${file} was not read`);
    return text;
  };
  for (const reference of payloadReferences(document)) {
    if (texts.has(reference.file)) continue;
    const text = await readText(disk, path.join(home.folder, reference.file));
    const found = text === null ? null : referenceTo(text);
    if (text === null || found?.file !== reference.file || found.bytes !== reference.bytes) {
      return { missing: reference, open };
    }
    texts.set(reference.file, text);
  }
  return { missing: null, open };
}

async function unreadable(disk: Disk, home: RunHome, problem: string): Promise<RunSummary | null> {
  const entry = await disk.entry(home.stateFile);
  if (entry === null) return null;
  const changed = entry.modifiedAt.toISOString();
  return {
    id: home.id,
    status: "unreadable",
    holder: null,
    workflow: null,
    simulated: null,
    costMicroUsd: null,
    origin: null,
    steps: null,
    agents: null,
    startedAt: null,
    updatedAt: changed,
    waitsUntil: null,
    questions: [],
    problem,
  };
}
