/** The result of one check. */
export interface Check {
  /** One word, such as `claude`. */
  readonly name: string;
  /** `fail`: a run would fail here. */
  readonly level: "ok" | "warn" | "fail";
  /** What was found: a sentence, or a part of one. */
  readonly message: string;
  /** What to do; null where nothing is to be done. */
  readonly hint: string | null;
}

/** Nothing is to be done. */
export function ok(name: string, message: string): Check {
  return { name, level: "ok", message, hint: null };
}

/** A run would go, but not as one expects. */
export function warning(name: string, message: string, hint: string): Check {
  return { name, level: "warn", message, hint };
}

/** A run would fail. */
export function failure(name: string, message: string, hint: string): Check {
  return { name, level: "fail", message, hint };
}
