/*
 * The first raymonds wrote version 1 without five of its fields. A file that
 * has none of them is one of theirs; one that has only some is damaged.
 */

/**
 * The JSON of a state file as today's schema wants it: fields that its raymond
 * did not know yet have the value that changes nothing. Anything else is given
 * back as it came.
 */
export function withAddedFields(json: unknown): unknown {
  if (!isObject(json) || "visits" in json) return json;
  const { settings, sums } = json;
  if (!isObject(settings) || !isObject(sums) || "models" in sums) return json;
  if ("max_wait_s" in settings || "max_steps" in settings || "notify" in settings) return json;
  return {
    ...json,
    settings: { ...settings, max_wait_s: 0, max_steps: null, notify: null },
    sums: { ...sums, models: {} },
    visits: {},
  };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
