import { isJsonObject, type JsonObject } from "../core/json-object.ts";

/**
 * The JSON of a state file as today's schema wants it, whichever raymond wrote
 * it (docs/state-file.md, "Older versions"). What is no state file of an older
 * version, or is damaged, is given back so that the schema refuses it.
 */
export function upgrade(json: unknown): unknown {
  if (!isJsonObject(json)) return json;
  switch (json["version"]) {
    case 1:
      return fourthVersion(thirdVersion(secondVersion(completeFirst(json))));
    case 2:
      return fourthVersion(thirdVersion(json));
    case 3:
      return fourthVersion(json);
    default:
      return json;
  }
}

/**
 * The first raymonds wrote version 1 without five of its fields. A file that
 * has none of them is one of theirs; one that has only some is damaged.
 */
function completeFirst(json: JsonObject): JsonObject {
  const { settings, sums } = json;
  if ("visits" in json || !isJsonObject(settings) || !isJsonObject(sums) || "models" in sums)
    return json;
  if ("max_wait_s" in settings || "max_steps" in settings || "notify" in settings) return json;
  return {
    ...json,
    settings: { ...settings, max_wait_s: 0, max_steps: null, notify: null },
    sums: { ...sums, models: {} },
    visits: {},
  };
}

/**
 * Version 2 knows prices by model and the number of saves, and no shares of the
 * budget; an agent has its sums itself, and those of ended agents are the log's.
 */
function secondVersion(json: JsonObject): JsonObject {
  const { agents, baselines, sums } = json;
  const spentBy = isJsonObject(sums) && isJsonObject(sums["agents"]) ? sums["agents"] : {};
  return {
    ...json,
    version: 2,
    saves: 0,
    ...(Array.isArray(agents)
      ? { agents: agents.map((agent) => withSums(withoutShare(agent), spentBy)) }
      : {}),
    ...(isJsonObject(sums) ? { sums: without(sums, "agents") } : {}),
    ...(isJsonObject(baselines) ? { baselines: mapValues(baselines, totalOf), prices: {} } : {}),
  };
}

/**
 * Version 3 says in one field what an agent does, or why it does nothing. It
 * counts the calls of every backend, sets apart what only a backend understands, and
 * has a limit of living agents.
 */
function thirdVersion(json: JsonObject): JsonObject {
  const { replies, ...rest } = json;
  const { agents, wait, settings } = json;
  return {
    ...rest,
    version: 3,
    // Only the event log knows it.
    seq: 0,
    ...(replies === undefined ? {} : { calls: replies }),
    ...(isJsonObject(settings) ? { settings: thirdSettings(settings) } : {}),
    ...(Array.isArray(agents) ? { agents: agents.map((agent) => withActivity(agent, wait)) } : {}),
  };
}

/** Version 4 knows workflows beyond the one that was started, and what a run does in which all wait for an answer. */
function fourthVersion(json: JsonObject): JsonObject {
  const { settings } = json;
  const known = isJsonObject(settings)
    ? { settings: { ...settings, on_ask: "stop", workflow_path: [] } }
    : {};
  return { ...json, ...known, version: 4 };
}

function thirdSettings({ claude, memory, ...settings }: JsonObject): JsonObject {
  return {
    ...settings,
    ...(claude === undefined ? {} : { client: claude }),
    ...(memory === undefined ? {} : { switches: { memory } }),
    max_agents: 1_000,
  };
}

/** An agent in which two fields contradict each other is left as it is, so that the schema refuses it. */
function withActivity(agent: unknown, wait: unknown): unknown {
  if (!isJsonObject(agent)) return agent;
  const { in_flight: step, not_before: until, error, ...rest } = agent;
  const { status, outage, retries } = agent;
  if (isJsonObject(step) && status === "ready" && until === undefined && error === undefined) {
    const { reply: call, ...others } = step;
    return { ...rest, activity: { ...others, call, type: "running" } };
  }
  if (step !== undefined) return agent;
  switch (status) {
    case "ready":
      return until === undefined && error === undefined ? rest : agent;
    case "failed":
      return error === undefined ? agent : { ...rest, activity: { type: "failed", error } };
    case "waiting":
      if (until === undefined) return agent;
      return {
        ...rest,
        activity: { type: "waiting", until, for: causeOf(until, wait, outage, retries) },
      };
    default:
      return agent;
  }
}

/** Only the run says that a moment is the end of a usage limit. */
function causeOf(until: unknown, wait: unknown, outage: unknown, retries: unknown): JsonObject {
  if (isJsonObject(wait) && wait["until"] === until)
    return { kind: "limit", message: wait["message"] };
  if (isJsonObject(outage)) return { kind: "retry", class: "outage", tries: outage["tries"] };
  return { kind: "retry", class: "crash", tries: retries ?? 0 };
}

function withoutShare(agent: unknown): unknown {
  if (!isJsonObject(agent) || !isJsonObject(agent["in_flight"])) return agent;
  const { spend, ...step } = agent["in_flight"];
  const told = isJsonObject(spend) ? { spend: { ...spend, list_price: null } } : {};
  return { ...agent, in_flight: { ...without(step, "share_usd"), ...told } };
}

function withSums(agent: unknown, spentBy: JsonObject): unknown {
  const id = isJsonObject(agent) ? agent["id"] : null;
  const sums = typeof id === "string" ? spentBy[id] : undefined;
  return isJsonObject(agent) && sums !== undefined ? { ...agent, sums } : agent;
}

function without(of: JsonObject, dropped: string): JsonObject {
  return Object.fromEntries(Object.entries(of).filter(([key]) => key !== dropped));
}

function totalOf(baseline: unknown): unknown {
  return isJsonObject(baseline) ? baseline["total_usd"] : baseline;
}

function mapValues(of: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
}
