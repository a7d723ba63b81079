import * as z from "zod/mini";
import {
  EVERY_VARIABLE,
  isVariablePattern,
} from "../language/workflow/policy/declared-environment.ts";
import { unset } from "./setting-values.ts";

/** Settings for the environment of steps (docs/environment.md). */
export const ENVIRONMENT_SETTINGS = {
  envPass: {
    key: "env_pass",
    schema: () =>
      z.union([
        unset(),
        z.pipe(
          z.literal("inherit"),
          z.transform(() => [EVERY_VARIABLE]),
        ),
        z.pipe(
          z.array(z.string().check(z.refine(isPassed))),
          z.transform((names) => names.map((name) => (name === "inherit" ? EVERY_VARIABLE : name))),
        ),
      ]),
    expects: 'a list of names such as ["NPM_TOKEN", "AWS_*"], "inherit" or "default"',
    list: true,
    default: null,
    nullWord: "default",
    help: 'Variables that steps may receive in addition to the base variables; "inherit" for all.',
    flag: { value: "names", help: "Variables that steps may receive, or inherit" },
  },
  envSet: {
    key: "env_set",
    schema: () => z.record(z.string().check(z.regex(NAME)), z.string()),
    expects: 'a table of variables such as { CI = "1" }',
    pairs: true,
    default: {},
    help: "Variables that every step receives with these values.",
    flag: { value: "name=value", help: "Variable for every step (repeatable)" },
  },
  envSecret: {
    key: "env_secret",
    schema: () => z.array(z.string().check(z.refine(isVariablePattern))),
    expects: 'a list of names such as ["NPM_TOKEN"]',
    list: true,
    default: [],
    help: "Variables whose values are replaced in everything that raymond writes.",
    flag: { value: "names", help: "Variables whose values are redacted" },
  },
} as const;

function isPassed(text: string): boolean {
  return text === EVERY_VARIABLE || isVariablePattern(text);
}

/** A variable that is not one of raymond's own. */
const NAME = /^(?!RAYMOND_)[A-Za-z_]\w*$/;
