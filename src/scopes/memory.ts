import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import { MissingStateError } from "./errors.ts";
import type { Scope } from "./scope.ts";

/** States in memory, for tests: texts by name. `dir` is only a name here. */
export function memoryScope(
  files: Readonly<Record<StateName, string>>,
  dir = path.resolve("/workflow"),
): Scope {
  const texts = new Map(Object.entries(files));
  const names = [...texts.keys()].filter((name) => extensionOf(name) !== null).sort();
  return {
    dir,
    names: () => Promise.resolve(names),
    path: (name) => path.join(dir, name),
    read: (name) => {
      const text = names.includes(name) ? texts.get(name) : undefined;
      if (text === undefined) return Promise.reject(new MissingStateError(name, dir, names));
      return Promise.resolve(text);
    },
  };
}
