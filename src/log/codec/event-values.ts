import type { JsonObject } from "../../language/basics/json-object.ts";
import {
  dataOf,
  partsOf,
  transitionOf,
  type Values,
  valueIn,
} from "../../language/protocol/parts.ts";
import { TAGS, type Transition } from "../../language/protocol/transition.ts";
import { ACTED_VIA, type Actor } from "../../machine/model/actor.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import type { Denial, DenialCount } from "../../machine/model/denial.ts";
import type { Event } from "../../machine/model/event.ts";
import { FAILURE_CLASSES } from "../../machine/model/failure.ts";
import { type StopReason, signalOf } from "../../machine/model/run-state.ts";
import type { Context, Tokens } from "../../machine/model/spend.ts";
import type { StepChanges } from "../../machine/model/step-changes.ts";
import {
  type Codec,
  flag,
  list,
  literal,
  moment,
  nullable,
  number,
  type ObjectCodec,
  object,
  optional,
  readObject,
  text,
  texts,
  word,
} from "./json-codec.ts";

/* The codecs of the values in events. */

export const failureClass = word(...FAILURE_CLASSES);
export const waitClass = word("limit", "outage");
export const kind = word("prompt", "script");
export const where = { agent: text, state: text } as const;

export const tokens = object<Tokens>({
  input: number,
  output: number,
  cacheRead: ["cache_read", number],
  cacheWrite: ["cache_write", number],
});

export const context = object<Context>({ tokens: number, window: nullable(number) });

export const changes = object<StepChanges>({
  base: text,
  snapshot: text,
  files: number,
  added: number,
  removed: number,
  shared: optional(literal(true)),
});

export const denial = object<Pick<Denial, "tool" | "input">>({ tool: text, input: text });

export const denialCount = object<DenialCount>({
  state: text,
  tool: text,
  input: text,
  count: number,
  narrowed: optional(flag),
  asked: optional(text),
});

export const actor = object<Actor>({
  user: nullable(text),
  host: nullable(text),
  via: word(...ACTED_VIA),
  sudoUser: ["sudo_user", optional(text)],
});

/** An actor of JSON that {@link actor} has written. */
export function actorOf(json: ActorJson): Actor {
  return actor.read(json);
}

/** As in events and `--json`. */
export interface ActorJson extends Omit<Actor, "sudoUser"> {
  readonly sudo_user?: string | undefined;
}

const cause = { message: text, agent: nullable(text), state: nullable(text) } as const;
const interrupt = object<Omit<Extract<StopReason, { class: "interrupted" }>, "class">>({
  ...cause,
  signal: word("SIGINT", "SIGTERM", "SIGHUP"),
});
const otherCause = object<Omit<Exclude<StopReason, { class: "interrupted" }>, "signal">>({
  class: word(...FAILURE_CLASSES, "budget", "step-limit", "question", "parked"),
  ...cause,
});

export const reason: Codec<StopReason> = {
  write: (stop) => ({
    class: stop.class,
    message: stop.message,
    agent: stop.agent,
    state: stop.state,
    signal: signalOf(stop),
  }),
  read: (json) =>
    readObject(json)["class"] === "interrupted"
      ? { class: "interrupted", ...interrupt.read(json) }
      : otherCause.read(json),
};

/** With the attribute names of the tags. */
export const transition: Codec<Transition> = {
  write: (t) => {
    const parts = partsOf(t.tag).map((part) => [part.name, valueIn(t, part)] as const);
    const given = parts.filter(([, value]) => value !== undefined);
    const data = dataOf(t);
    return {
      tag: t.tag,
      ...Object.fromEntries(given),
      ...(data !== null && { attributes: data }),
    };
  },
  read: (json) => {
    const from = readObject(json);
    const tag = word(...TAGS).read(from["tag"]);
    const parts = partsOf(tag).filter(({ name }) => from[name] !== undefined);
    const values: Values = Object.fromEntries(
      parts.map(({ field, name }) => [field, text.read(from[name])] as const),
    );
    const data = from["attributes"] === undefined ? {} : texts.read(from["attributes"]);
    return transitionOf(tag, values, data);
  },
};

type WaitCodecs = {
  readonly [K in AgentWait["kind"]]: ObjectCodec<Omit<Extract<AgentWait, { kind: K }>, "kind">>;
};

/** The fields of each wait in addition to its kind. */
const waits: WaitCodecs = {
  limit: object<Omit<Extract<AgentWait, { kind: "limit" }>, "kind">>({
    until: moment,
    message: text,
    backend: optional(text),
  }),
  probe: object({ agent: ["probe", text] }),
  retry: object({ until: moment, class: word("outage", "crash"), tries: number }),
  delay: object({ until: moment }),
  join: object({ until: nullable(moment), living: number, min: nullable(number) }),
  opened: object({ since: moment }),
  answer: object({
    until: nullable(moment),
    number,
    question: text,
    options: nullable(list(text)),
  }),
  place: object({ maxParallel: ["max_parallel", number] }),
  steps: object({ maxSteps: ["max_steps", number] }),
  money: object({ message: text }),
};

export const waiting: ObjectCodec<Omit<Extract<Event, { type: "agent.waiting" }>, "type">> = {
  write: ({ agent, state, wait }) => {
    const write = waits[wait.kind].write as (wait: AgentWait) => JsonObject;
    return { agent, state, for: wait.kind, until: null, ...write(wait) };
  },
  read: (json) => {
    const { agent, state, for: of } = readObject(json);
    const known = word(...(Object.keys(waits) as AgentWait["kind"][])).read(of);
    const wait = { kind: known, ...waits[known].read(json) } as AgentWait;
    return { agent: text.read(agent), state: text.read(state), wait };
  },
};
