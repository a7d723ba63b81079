import type { RunId } from "../../core/machine/run-state.ts";
import type { Answers } from "../../ports/answers.ts";
import type { Store } from "../../ports/store.ts";
import { answerFiles } from "../../stores/answer-files.ts";
import type { Caller } from "../caller.ts";

/** What persons answer to the questions of a run, whoever holds it. */
export async function answersOf(
  id: RunId,
  store: Pick<Store, "artifacts" | "remote">,
  caller: Caller,
): Promise<Answers> {
  if (store.remote !== undefined) return store.remote.answers(id);
  const { disk } = await caller.system();
  return answerFiles(disk, (await store.artifacts(id)).answers);
}
