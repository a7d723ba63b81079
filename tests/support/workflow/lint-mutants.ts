import type { ReadState } from "../../../src/language/outline/outline.ts";
import type { Platform } from "../../../src/language/workflow/files/platform.ts";
import type { RuleId } from "../../../src/language/workflow/files/state-file.ts";
import { stemOf } from "../../../src/language/workflow/files/state-name.ts";
import { type Files, lintFacts } from "./lint-facts.ts";

/** A workflow without problems, to insert mistakes into. */
export interface Ground {
  readonly files: Files;
  /** Prompts with rules. */
  readonly prompts: readonly ReadState[];
  /** Scripts that are not gates. */
  readonly scripts: readonly ReadState[];
  readonly entry: string;
}

/** Inserts the mistake that a rule finds. */
export interface Mutator {
  readonly rule: RuleId;
  /** Other rules that find the same mistake. */
  readonly also?: readonly RuleId[];
  /** The platform on which it is a mistake. Default: Unix. */
  readonly platform?: Platform;
  /** The files with the mistake; null if the workflow has no place for it. */
  readonly plant: (ground: Ground, choose: Choose) => Files | null;
}

/** A random element; undefined if there is none. */
export type Choose = <T>(list: readonly T[]) => T | undefined;

export function groundOf(files: Files): Ground {
  const { outline } = lintFacts(files);
  const states = outline.states.flatMap((state) => (state.ok ? [state] : []));
  if (!outline.entry.ok) throw new Error("no such workflow is a sample");
  const gates = states.flatMap(({ moves }) =>
    moves.flatMap(({ destinations }) =>
      destinations.flatMap(({ role, state }) => (role === "verify" ? (state ?? []) : [])),
    ),
  );
  return {
    files,
    prompts: states.filter(({ file }) => file.kind === "prompt" && file.rules !== null),
    scripts: states.filter(({ file, name }) => file.kind === "script" && !gates.includes(name)),
    entry: outline.entry.name,
  };
}

export const MUTATORS: readonly Mutator[] = [
  { rule: "RAY101", plant: ({ files, entry }) => renamed(files, stemOf(entry), "BEGIN") },
  {
    rule: "RAY102",
    plant: (ground, choose) => inPrompt(ground, choose, { key: "effort: hihg" }),
  },
  {
    rule: "RAY103",
    plant: ({ files, prompts }, choose) => {
      const { name } = choose(prompts) ?? {};
      if (name === undefined) return null;
      return { ...files, [name]: `---\n${partsOf(files[name]).head}---\n` };
    },
  },
  { rule: "RAY104", plant: (ground, choose) => inPrompt(ground, choose, { key: "modle: opus" }) },
  { rule: "RAY105", plant: ({ files }) => ({ ...files, "ORPHAN.md": "<result>x</result>\n" }) },
  {
    rule: "RAY106",
    plant: ({ files, prompts }, choose) => {
      const { name } = choose(prompts) ?? {};
      return name === undefined ? null : { ...files, [name.toLowerCase()]: "Some notes.\n" };
    },
  },
  {
    rule: "RAY107",
    plant: ({ files, scripts }, choose) => {
      // A workflow with no batch file at all is one for Unix.
      if (Object.keys(files).filter((name) => name.endsWith(".bat")).length < 2) return null;
      const { name } = choose(scripts) ?? {};
      return name === undefined ? null : without(files, `${stemOf(name)}.bat`);
    },
  },
  {
    rule: "RAY201",
    plant: ({ files, prompts }, choose) => {
      const places = prompts.flatMap(({ name }) =>
        [
          ...(files[name] ?? "").matchAll(
            /(?<=(?:target|return|verify|on_fail|on_context): )[A-Z_]+/g,
          ),
        ].map(({ index, 0: word }) => ({ name, index, word })),
      );
      const place = choose(places);
      if (place === undefined) return null;
      const text = files[place.name] ?? "";
      const { index, word } = place;
      const mistyped = `${text.slice(0, index)}${word}X${text.slice(index + word.length)}`;
      return { ...files, [place.name]: mistyped };
    },
  },
  {
    rule: "RAY202",
    plant: ({ files, scripts, entry }, choose) => {
      const named = scripts.filter(({ name }) => name !== entry);
      const { name } = choose(named) ?? {};
      return name === undefined ? null : { ...files, [`${stemOf(name)}.md`]: "Some notes.\n" };
    },
  },
  {
    rule: "RAY203",
    also: ["RAY107"],
    plant: ({ files, scripts, entry }, choose) => {
      const { name } = choose(scripts.filter((state) => state.name !== entry)) ?? {};
      return name === undefined ? null : without(files, name);
    },
  },
  {
    rule: "RAY204",
    plant: ({ files, prompts }, choose) => {
      const state = choose(prompts.filter(({ name }) => !(files[name] ?? "").includes("verify")));
      const gate = choose(prompts);
      if (state === undefined || gate === undefined) return null;
      const { head, body } = partsOf(files[state.name]);
      const gated = head.replace(/^( {2}- \{.*) \}$/m, `$1, verify: ${stemOf(gate.name)} }`);
      if (gated === head) return null;
      return { ...files, [state.name]: `---\n${gated}---\n${body}` };
    },
  },
  {
    rule: "RAY205",
    platform: "windows",
    also: ["RAY501", "RAY302"],
    plant: (ground, choose) => {
      const worker = choose(ground.scripts);
      if (worker === undefined) return null;
      const rule = `{ tag: fork, target: ${stemOf(worker.name)}, next: ${ENDING}, part: "a & b" }`;
      return inPrompt(ground, choose, { rule });
    },
  },
  {
    rule: "RAY206",
    plant: (ground, choose) => inScript(ground, choose, `<call>${ENDING}</call>`),
  },
  {
    rule: "RAY207",
    plant: (ground, choose) => inScript(ground, choose, `<gotto>${ENDING}</gotto>`),
  },
  {
    rule: "RAY301",
    plant: (ground, choose) => {
      const text = `Or <goto>${ENDING}</goto>\n`;
      const lacks = ({ file }: ReadState) =>
        file.kind === "prompt" &&
        (file.rules ?? []).every(({ tag, target }) => {
          return tag !== "goto" || (target !== undefined && target !== ENDING);
        });
      return inPrompt(ground, choose, { text }, lacks);
    },
  },
  {
    rule: "RAY302",
    plant: (ground, choose) =>
      inPrompt(ground, choose, { rule: `{ tag: goto, target: ${ENDING} }` }, (state) => {
        return !(ground.files[state.name] ?? "").includes(`target: ${ENDING} `);
      }),
  },
  {
    rule: "RAY303",
    // A transition is only implied by a single rule.
    also: ["RAY302"],
    plant: (ground, choose) =>
      inPrompt(ground, choose, { rule: "{ tag: goto }" }, ({ moves }) => {
        return moves.every(({ by, origin }) => by !== "goto" || origin === "declared");
      }),
  },
  {
    rule: "RAY304",
    also: ["RAY302"],
    plant: (ground, choose) => {
      const state = choose(ground.prompts);
      if (state === undefined) return null;
      const { head, body } = partsOf(ground.files[state.name]);
      const doubled = head.replace(RULES, "$1$2$2");
      return { ...ground.files, [state.name]: `---\n${doubled}---\n${body}` };
    },
  },
  {
    rule: "RAY401",
    plant: (ground, choose) =>
      inScript(ground, choose, "<goto>ROUND</goto>", { ROUND: "<goto>ROUND</goto>" }),
  },
  {
    rule: "RAY402",
    plant: (ground, choose) =>
      inScript(ground, choose, `<function return='${ENDING}'>ROUND</function>`, {
        ROUND: "<goto>ROUND</goto>",
      }),
  },
  {
    rule: "RAY403",
    plant: (ground, choose) =>
      inScript(ground, choose, `<function return='${ENDING}'>BEGIN</function>`, {
        BEGIN: `<reset>${ENDING}</reset>`,
      }),
  },
  {
    rule: "RAY404",
    also: ["RAY302"],
    plant: (ground, choose) => {
      const state = choose(ground.prompts.filter(({ file }) => file.maxVisits === null));
      if (state === undefined) return null;
      const stem = stemOf(state.name);
      const added = { rule: `{ tag: goto, target: ${stem} }`, text: `Or <goto>${stem}</goto>\n` };
      return inPrompt({ ...ground, prompts: [state] }, choose, added);
    },
  },
  {
    rule: "RAY405",
    // The sample may have a conversation with another model at this point.
    also: ["RAY605"],
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>SILENT</goto>");
      return files && { ...files, "SILENT.md": "Do it.\n" };
    },
  },
  {
    rule: "RAY406",
    // The sample may have a conversation with another model at this point.
    also: ["RAY605"],
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>GROWN</goto>");
      const head = "max_visits: 9\nmax_context: 120k\non_context: SMALLER";
      const text = `---\n${head}\n---\nDo it, then <goto>${ENDING}</goto>\n`;
      const grown = { ...files, "GROWN.md": text };
      return files && withScripts(grown, { SMALLER: "<goto>GROWN</goto>" });
    },
  },
  {
    rule: "RAY501",
    plant: (ground, choose) =>
      inScript(ground, choose, "<goto>SEND</goto>", {
        SEND: `<fork next='${ENDING}'>${ENDING}</fork>`,
      }),
  },
  {
    rule: "RAY502",
    plant: (ground, choose) =>
      Object.values(ground.files).some((text) => /fork/.test(text))
        ? null
        : inScript(ground, choose, `<join>${ENDING}</join>`),
  },
  {
    rule: "RAY503",
    plant: (ground, choose) =>
      inScript(ground, choose, "<goto>SEND</goto>", { SEND: `<fork>${ENDING}</fork>` }),
  },
  {
    rule: "RAY504",
    plant: (ground, choose) =>
      Object.values(ground.files).some((text) => text.includes("delay="))
        ? inScript(ground, choose, `<ask next='${ENDING}'>Well?</ask>`)
        : null,
  },
  {
    rule: "RAY802",
    // The sample may have a conversation with another model at this point.
    also: ["RAY605"],
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>FREE</goto>");
      const tag = `<function-workflow return='${ENDING}'>../judge</function-workflow>`;
      return files && withScripts({ ...files, "FREE.md": `Do it, then ${tag}\n` }, {});
    },
  },
  {
    rule: "RAY601",
    plant: (ground, choose) => inPrompt(ground, choose, { text: "{{unheard}}\n" }),
  },
  {
    rule: "RAY602",
    plant: (ground, choose) => {
      // Concatenated, so that secret scanners do not report this file.
      return inPrompt(ground, choose, {
        text: `Log in with ${["AKIA", "IOSFODNN7EXAMPLE"].join("")}\n`,
      });
    },
  },
  {
    rule: "RAY604",
    also: ["RAY605"],
    plant: (ground, choose) => inPrompt(ground, choose, { key: "model: opsu" }),
  },
  {
    rule: "RAY605",
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>FIRST</goto>");
      const first = "---\nmodel: opus\n---\nDo it, then <goto>SECOND</goto>\n";
      const second = "---\nmodel: haiku\n---\nEnd with <result>x</result>\n";
      return files && { ...files, "FIRST.md": first, "SECOND.md": second };
    },
  },
  {
    rule: "RAY607",
    // The sample may have a conversation with another model at this point.
    also: ["RAY605"],
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<reset>FIRST</reset>");
      const first = "---\nagent: codex\n---\nDo it, then <goto>SECOND</goto>\n";
      const second = "---\nagent: claude\n---\nEnd with <result>x</result>\n";
      return files && { ...files, "FIRST.md": first, "SECOND.md": second };
    },
  },
  {
    rule: "RAY608",
    also: ["RAY607"],
    plant: (ground, choose) => inPrompt(ground, choose, { key: "agent: codxe" }),
  },
  {
    rule: "RAY702",
    plant: ({ files, scripts }, choose) => {
      const { name } = choose(scripts) ?? {};
      if (name === undefined) return null;
      return { ...files, [name]: (files[name] ?? "").replaceAll("\n", "\r\n") };
    },
  },
  {
    rule: "RAY703",
    plant: ({ files, scripts }, choose) => {
      const { name } = choose(scripts) ?? {};
      if (name === undefined) return null;
      return { ...files, [name]: `\uFEFF${files[name] ?? ""}` };
    },
  },
  {
    rule: "RAY704",
    also: ["RAY501"],
    plant: (ground, choose) =>
      inScript(ground, choose, `<fork item='$RAYMOND_RESULT' next='${ENDING}'>${ENDING}</fork>`),
  },
  {
    rule: "RAY705",
    plant: ({ files, scripts }, choose) => {
      const { name } = choose(scripts) ?? {};
      if (name === undefined) return null;
      const text = (files[name] ?? "").replace(/^#!.*\n/, "");
      return { ...files, [name]: `#!/usr/bin/env python3\n${text}` };
    },
  },
  {
    rule: "RAY706",
    plant: ({ files, scripts }, choose) => {
      const { name } = choose(scripts) ?? {};
      if (name === undefined) return null;
      return { ...files, [name]: `${files[name] ?? ""}\necho “that” >/dev/null\n` };
    },
  },
  {
    rule: "RAY707",
    also: ["RAY501"],
    plant: (ground, choose) =>
      inScript(ground, choose, "<goto>SEND</goto>", {
        SEND: `<fork next='${ENDING}' UNHEARD='1'>READ</fork>`,
        READ: "<result>$UNHEARD</result>",
      }),
  },
  {
    rule: "RAY901",
    also: ["RAY302", "RAY304"],
    plant: (ground, choose) =>
      inPrompt(ground, choose, { rule: "{ tag: result, schema: none.schema.json }" }),
  },
  { rule: "RAY902", plant: ({ files }) => ({ ...files, "plan.schema.json": "{}" }) },
  {
    rule: "RAY903",
    also: ["RAY605"],
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>CALL</goto>");
      const rule = `{ tag: function, target: ${ENDING}, return: READ, schema: a.schema.json }`;
      const called = {
        "CALL.md": `---\nallowed_transitions:\n  - ${rule}\n---\nCall it.\n`,
        "READ.md": "---\n---\nRead {{result.b}} and end with <result>it</result>\n",
        "a.schema.json": '{ "required": ["a"], "properties": { "a": {} } }',
      };
      return files && withScripts({ ...files, ...called }, {});
    },
  },
];

/** A state that only returns a result, for inserted tags. */
const ENDING = "ENDING";

/** Adds scripts that print these tags on both platforms, and the final state if a tag targets it. */
function withScripts(files: Files, added: Readonly<Record<string, string>>): Files {
  const isNamed = Object.values({ ...files, ...added }).some((text) => text.includes(ENDING));
  const all = isNamed ? { ...added, [ENDING]: "<result>x</result>" } : added;
  const grown: Record<string, string> = { ...files };
  for (const [stem, printed] of Object.entries(all)) {
    grown[`${stem}.sh`] = `#!/bin/bash\necho "${printed}"\n`;
    grown[`${stem}.bat`] = `@echo off\r\necho ${printed.replaceAll(/[<>]/g, "^$&")}\r\n`;
  }
  return grown;
}

/** The rules in the front matter of a prompt. */
const RULES = /^(allowed_transitions:\n)((?: {2}.*\n)+)/m;

/** Adds text to a prompt: to its front matter, as last rule, or at the end. */
function inPrompt(
  { files, prompts }: Ground,
  choose: Choose,
  added: { readonly key?: string; readonly rule?: string; readonly text?: string },
  fits: (state: ReadState) => boolean = () => true,
): Files | null {
  const state = choose(prompts.filter(fits));
  if (state === undefined) return null;
  const { head, body } = partsOf(files[state.name]);
  const { key, rule, text = "" } = added;
  const ruled = rule === undefined ? head : head.replace(RULES, `$1$2  - ${rule}\n`);
  const keyed = key === undefined ? ruled : `${key}\n${withoutKey(ruled, key)}`;
  return withScripts({ ...files, [state.name]: `---\n${keyed}---\n${body}${text}` }, {});
}

/** Keys must be unique. */
function withoutKey(head: string, key: string): string {
  const [name = ""] = key.split(":");
  return head.replace(new RegExp(`^${name}:.*\\n`, "m"), "");
}

/** Adds a tag to a script, and other files. */
function inScript(
  { files, scripts }: Ground,
  choose: Choose,
  tag: string,
  added: Readonly<Record<string, string>> = {},
): Files | null {
  const state = choose(scripts);
  if (state === undefined) return null;
  const text = `${files[state.name] ?? ""}\necho "${tag}"\n`;
  return withScripts({ ...files, [state.name]: text }, added);
}

function partsOf(text = ""): { readonly head: string; readonly body: string } {
  const [, head = "", body = ""] = /^---\n([\s\S]*?)^---\n([\s\S]*)$/m.exec(text) ?? [];
  return { head, body };
}

function renamed(files: Files, from: string, to: string): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      stemOf(name) === from ? name.replace(from, to) : name,
      text,
    ]),
  );
}

function without(files: Files, dropped: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== dropped));
}
