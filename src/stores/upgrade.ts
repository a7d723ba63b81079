type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON of a state file as today's schema wants it, whichever raymond wrote
 * it (docs/state-file.md, "Older versions"). What is no state file of an older
 * version, or is damaged, is given back so that the schema refuses it.
 */
export function upgrade(json: unknown): unknown {
  if (!isObject(json) || json["version"] !== 1) return json;
  return secondVersion(completeFirst(json));
}

/**
 * The first raymonds wrote version 1 without five of its fields. A file that
 * has none of them is one of theirs; one that has only some is damaged.
 */
function completeFirst(json: Json): Json {
  const { settings, sums } = json;
  if ("visits" in json || !isObject(settings) || !isObject(sums) || "models" in sums) return json;
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
function secondVersion(json: Json): Json {
  const { agents, baselines, sums } = json;
  const spentBy = isObject(sums) && isObject(sums["agents"]) ? sums["agents"] : {};
  return {
    ...json,
    version: 2,
    saves: 0,
    ...(Array.isArray(agents)
      ? { agents: agents.map((agent) => withSums(withoutShare(agent), spentBy)) }
      : {}),
    ...(isObject(sums) ? { sums: without(sums, "agents") } : {}),
    ...(isObject(baselines) ? { baselines: mapValues(baselines, totalOf), prices: {} } : {}),
  };
}

function withoutShare(agent: unknown): unknown {
  if (!isObject(agent) || !isObject(agent["in_flight"])) return agent;
  const { spend, ...step } = agent["in_flight"];
  const told = isObject(spend) ? { spend: { ...spend, list_price: null } } : {};
  return { ...agent, in_flight: { ...without(step, "share_usd"), ...told } };
}

function withSums(agent: unknown, spentBy: Json): unknown {
  const id = isObject(agent) ? agent["id"] : null;
  const sums = typeof id === "string" ? spentBy[id] : undefined;
  return isObject(agent) && sums !== undefined ? { ...agent, sums } : agent;
}

function without(of: Json, dropped: string): Json {
  return Object.fromEntries(Object.entries(of).filter(([key]) => key !== dropped));
}

function totalOf(baseline: unknown): unknown {
  return isObject(baseline) ? baseline["total_usd"] : baseline;
}

function mapValues(of: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
}

function isObject(json: unknown): json is Json {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
