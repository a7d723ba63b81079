import type { CarriedConversation } from "../../ports/backend.ts";
import type { Caller } from "../caller.ts";
import { type CarryParts, carryWith } from "./backends.ts";
import { inherited } from "./inherited.ts";

/** Carries conversations from one run of this backend to another. */
export async function carrying(
  backend: string,
  places: Pick<CarryParts, "from" | "to">,
  caller: Caller,
): Promise<(conversation: CarriedConversation) => Promise<boolean>> {
  const { kept: files } = await caller.system();
  const parts = { ...places, files, env: inherited(caller.env) };
  return (conversation) => carryWith(backend, conversation, parts);
}
