import { onUserError } from "../language/basics/errors.ts";

export interface Check {
  /** One word, such as `claude`. */
  readonly name: string;
  /** `fail`: a run would fail here. */
  readonly level: "ok" | "warn" | "fail";
  /** A sentence, or a part of one. */
  readonly message: string;
  /** How to fix it; null for `ok`. */
  readonly hint: string | null;
}

export function ok(name: string, message: string): Check {
  return { name, level: "ok", message, hint: null };
}

export function warning(name: string, message: string, hint: string): Check {
  return { name, level: "warn", message, hint };
}

export function failure(name: string, message: string, hint: string): Check {
  return { name, level: "fail", message, hint };
}

/** A handler of a rejection: the failed check for a RaymondError. Throws any other error again. */
export function failedBy(name: string, usualHint = ""): (error: unknown) => Check {
  return onUserError(({ message, hint }) => failure(name, message, hint ?? usualHint));
}
