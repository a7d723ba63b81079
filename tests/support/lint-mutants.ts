import type { ReadState } from "../../src/core/outline/outline.ts";
import type { Platform } from "../../src/core/workflow/platform.ts";
import type { RuleId } from "../../src/core/workflow/state-file.ts";
import { stemOf } from "../../src/core/workflow/state-name.ts";
import { type Files, lintFacts } from "./lint-facts.ts";

/** A clean workflow, as whoever plants a mistake sees it. */
export interface Ground {
  readonly files: Files;
  /** Those with rules. */
  readonly prompts: readonly ReadState[];
  /** Those that are no gates. */
  readonly scripts: readonly ReadState[];
  readonly entry: string;
}

/** How the mistake that a rule finds is planted. */
export interface Mutator {
  readonly rule: RuleId;
  /** What the same mistake makes true besides. */
  readonly also?: readonly RuleId[];
  /** Where it is a mistake; else on Unix. */
  readonly platform?: Platform;
  /** The files with the mistake; null where there is no room for it. */
  readonly plant: (ground: Ground, choose: Choose) => Files | null;
}

/** One of these; undefined of none. */
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
      const { name } = choose(scripts) ?? {};
      return name === undefined ? null : without(files, `${stemOf(name)}.bat`);
    },
  },
  {
    rule: "RAY108",
    // The rules are not read either, and so no longer lead where they led.
    also: [
      "RAY105",
      "RAY302",
      "RAY401",
      "RAY402",
      "RAY404",
      "RAY501",
      "RAY502",
      "RAY503",
      "RAY601",
      "RAY802",
    ],
    plant: ({ files, prompts }, choose) => {
      const { name } = choose(prompts) ?? {};
      return name === undefined ? null : { ...files, [name]: `\n${files[name] ?? ""}` };
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
    // What was implied by a single rule is so no more.
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
    plant: (ground, choose) => {
      const files = inScript(ground, choose, "<goto>SILENT</goto>");
      return files && { ...files, "SILENT.md": "Do it.\n" };
    },
  },
  {
    rule: "RAY406",
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
      // In parts, so that no scanner takes this file for one that holds a key.
      return inPrompt(ground, choose, {
        text: `Log in with ${["AKIA", "IOSFODNN7EXAMPLE"].join("")}\n`,
      });
    },
  },
  { rule: "RAY604", plant: (ground, choose) => inPrompt(ground, choose, { key: "model: opsu" }) },
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
];

/** A state that only gives a result; it is there where a planted tag leads to it. */
const ENDING = "ENDING";

/** With scripts that print these tags, for both platforms, and with the ending where one leads there. */
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

/** With this in the front matter of a prompt, as its last rule, or below its text. */
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

/** A key stands once. */
function withoutKey(head: string, key: string): string {
  const [name = ""] = key.split(":");
  return head.replace(new RegExp(`^${name}:.*\\n`, "m"), "");
}

/** With a script that prints this tag as well, and with others. */
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
