import * as z from "zod/mini";
import type { ControlRequest } from "../../engine/ports/control-request.ts";
import { parseJson } from "../../language/basics/json-object.ts";
import { ACTED_VIA } from "../../machine/model/actor.ts";
import { once } from "./shape.ts";

const requests = once(() => {
  const actor = z.strictObject({
    user: z.nullable(z.string()),
    host: z.nullable(z.string()),
    via: z.enum(ACTED_VIA),
    sudoUser: z.optional(z.string()),
  });
  const by = { actor: z.optional(actor) };
  return z.union([
    z.strictObject({ ...by, agent: z.nullable(z.string()) }),
    z.strictObject({ ...by, look: z.enum(["answers", "openings"]) }),
    z.strictObject({ ...by, retry: z.literal("now") }),
    z.strictObject({ ...by, stop: z.enum(["after-steps", "interrupt", "kill"]) }),
    z.strictObject({
      ...by,
      set: z.strictObject({
        agent: z.string(),
        state: z.string(),
        process: z.nullable(z.int()),
        result: z.string(),
        reason: z.nullable(z.string()),
        actor,
      }),
    }),
  ]);
});

/** Null for JSON that is no request. */
export function parseControlRequest(json: unknown): ControlRequest | null {
  const read = requests().safeParse(json);
  return read.success ? read.data : null;
}

/** The same for JSON text. */
export function readControlRequest(text: string): ControlRequest | null {
  return parseControlRequest(parseJson(text));
}
