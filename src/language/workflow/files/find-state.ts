import { nearest } from "../../basics/nearest.ts";
import type { StateName } from "../../protocol/transition.ts";
import type { Platform } from "./platform.ts";
import { extensionOf, runsOn, scriptExtensions, stemOf } from "./state-name.ts";

export type Finding =
  | { readonly kind: "found"; readonly name: StateName }
  | { readonly kind: "unknown"; readonly nearest: StateName | null }
  | { readonly kind: "ambiguous"; readonly candidates: readonly StateName[] }
  | {
      readonly kind: "wrong-platform";
      readonly present: StateName;
      /** The file of the same stem for this platform. */
      readonly usable: StateName | null;
    };

/**
 * Resolves a state name (docs/protocol.md, "State names"), by the files that exist:
 *
 * | present    | on Unix   | on Windows |
 * | ---------- | --------- | ---------- |
 * | md         | md        | md         |
 * | sh         | sh        | error      |
 * | bat        | error     | bat        |
 * | sh and bat | sh        | bat        |
 * | md and sh  | ambiguous | md         |
 * | md and bat | md        | ambiguous  |
 *
 * A `ps1` counts as a `bat`; both together are ambiguous on Windows. A name with an extension means
 * exactly that file. Names are compared after NFC; the listed spelling is returned.
 */
export function findState(
  names: readonly StateName[],
  target: string,
  platform: Platform,
): Finding {
  const scripts = scriptExtensions(platform);
  if (extensionOf(target) !== null) {
    const name = spelled(names, target);
    if (name === null) return unknown(names, target, platform);
    if (runsOn(name, platform)) return { kind: "found", name };
    return {
      kind: "wrong-platform",
      present: name,
      usable: firstSpelled(names, stemOf(target), scripts),
    };
  }

  const here = [".md", ...scripts].flatMap((ending) => spelled(names, target + ending) ?? []);
  const [name, other] = here;
  if (name !== undefined) {
    return other === undefined ? { kind: "found", name } : { kind: "ambiguous", candidates: here };
  }
  const elsewhere = firstSpelled(names, target, SCRIPTS);
  if (elsewhere === null) return unknown(names, target, platform);
  return { kind: "wrong-platform", present: elsewhere, usable: null };
}

const SCRIPTS = [...scriptExtensions("unix"), ...scriptExtensions("windows")];

function firstSpelled(
  names: readonly StateName[],
  stem: string,
  endings: readonly string[],
): StateName | null {
  return endings.flatMap((ending) => spelled(names, stem + ending) ?? [])[0] ?? null;
}

/** The listed name that equals `file` exactly, else after NFC. */
function spelled(names: readonly StateName[], file: string): StateName | null {
  if (names.includes(file)) return file;
  const normal = file.normalize("NFC");
  return names.find((name) => (PLAIN.test(name) ? name : name.normalize("NFC")) === normal) ?? null;
}

/** Names that NFC does not change: a fast path for folders with thousands of names. */
const PLAIN = /^[ -~]*$/;

function unknown(names: readonly StateName[], target: string, platform: Platform): Finding {
  const usable = names.filter((name) => runsOn(name, platform));
  const stem = nearest(stemOf(target), usable.map(stemOf));
  const alike = usable.filter((name) => stemOf(name) === stem);
  const sameKind = alike.find((name) => extensionOf(name) === extensionOf(target));
  return { kind: "unknown", nearest: sameKind ?? alike[0] ?? null };
}
