import { windowsNameProblem } from "../core/windows-name.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { listed, quoted } from "../core/workflow/quote.ts";
import { EXTENSION_WORDS, extensionOf } from "../core/workflow/state-name.ts";
import { LEAVE_OUT, PACK, tooMany, type ZipEntry, type ZipProblem } from "./zip-entries.ts";

export const MAX_ENTRIES = 2_000;
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
/** The type of a plain file, in the mode of an entry. */
export const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;

/** What of a zip is used, and where its states lie. */
export interface ZipContents {
  /** Files and folders, without what is ignored. */
  readonly entries: readonly ZipEntry[];
  /** The folder that holds the states: empty, or a name and `/`. */
  readonly prefix: string;
  /** The states, by their names in that folder, sorted. */
  readonly names: readonly string[];
}

/** Judges the list of contents of a zip: what of it is used, or why it is refused. */
export function judgeZip(all: readonly ZipEntry[], platform: Platform): ZipContents | ZipProblem {
  if (all.length === 0) return { problem: "is empty", hint: `Pack the workflow: ${PACK}` };
  if (all.length > MAX_ENTRIES) return tooMany(all.length, MAX_ENTRIES);
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_UNPACKED_BYTES) {
    const size = Math.ceil(bytes / MIB).toLocaleString("en");
    return { problem: `unpacks to ${size} MiB, and 64 MiB are allowed`, hint: LEAVE_OUT };
  }
  for (const { name } of all) {
    const wrong = nameProblem(name);
    if (wrong !== null) {
      return { ...wrong, problem: `has the entry ${JSON.stringify(name)}, ${wrong.problem}` };
    }
  }
  const entries = all.filter(({ name }) => !isIgnored(name));
  for (const entry of entries) {
    const wrong = entryProblem(entry) ?? (platform === "windows" ? windowsProblem(entry) : null);
    if (wrong !== null) {
      return { ...wrong, problem: `has the entry ${quoted(entry.name)}, ${wrong.problem}` };
    }
  }
  return twinProblem(entries) ?? withStates(entries);
}

function nameProblem(name: string): ZipProblem | null {
  const relative = `Pack it from within its folder: ${PACK}`;
  if (name.includes("\\")) {
    return {
      problem: "and names with \\ mean different places on different systems",
      hint: "Rename the file, or pack with a program that writes / between folders, as most do.",
    };
  }
  if (name.includes("\0")) {
    return { problem: "which has a NUL character in its name", hint: relative };
  }
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) {
    return { problem: "which is an absolute path", hint: relative };
  }
  const parts = name.replace(/\/$/, "").split("/");
  if (parts.includes("..")) return { problem: "which leads out of the zip", hint: relative };
  if (parts.includes(".") || parts.includes("")) {
    return { problem: "which is not a plain path", hint: relative };
  }
  if (parts.some((part) => Buffer.byteLength(part) > 255)) {
    return { problem: "whose name is too long for a file", hint: "Give it a shorter name." };
  }
  return null;
}

/** What Macs and editors add, and what is hidden: it is not unpacked. */
export function isIgnored(name: string): boolean {
  const parts = name.split("/");
  return parts[0] === "__MACOSX" || parts.some((part) => part.startsWith("."));
}

function entryProblem({ encrypted, isFolder, method, mode }: ZipEntry): ZipProblem | null {
  if (encrypted) return { problem: "which is encrypted", hint: "Pack it without a password." };
  const type = mode & FILE_TYPE;
  if (type === LINK) {
    return {
      problem: "which is a symbolic link",
      hint: "Pack the file that it leads to in its place: zip -r does so without -y.",
    };
  }
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR)) {
    return { problem: "which is no plain file", hint: "Leave it out." };
  }
  if (method !== 0 && method !== 8) {
    return {
      problem: `which is packed by a method (${String(method)}) that cannot be read here`,
      hint: `Pack it by the usual one (deflate), as this does: ${PACK}`,
    };
  }
  return null;
}

function windowsProblem({ name }: ZipEntry): ZipProblem | null {
  const problems = name.replace(/\/$/, "").split("/").map(windowsNameProblem);
  const problem = problems.find((one) => one !== null);
  if (problem === undefined) return null;
  return {
    problem: `which ${problem}, and Windows cannot have such a file`,
    hint: "Rename it, and what names it, and pack the folder anew.",
  };
}

/**
 * Names that would be one file on some disk, where neither case nor the way in
 * which an accent is written counts, or both a file and a folder.
 */
function twinProblem(entries: readonly ZipEntry[]): ZipProblem | null {
  const given = new Set<string>();
  const places = new Map<string, { readonly name: string; readonly isFolder: boolean }>();
  for (const entry of entries) {
    const name = entry.name.replace(/\/$/, "");
    if (given.has(name)) return twins(name, name);
    given.add(name);
    const parts = name.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const place = {
        name: parts.slice(0, depth).join("/"),
        isFolder: depth < parts.length || entry.isFolder,
      };
      const known = places.get(folded(place.name));
      places.set(folded(place.name), place);
      if (known === undefined) continue;
      if (known.name !== place.name || known.isFolder !== place.isFolder) {
        return twins(known.name, place.name);
      }
    }
  }
  return null;
}

function twins(one: string, other: string): ZipProblem {
  const same = "Rename one of them, or pack the folder anew: a folder has each name once.";
  if (one === other) return { problem: `has two entries for ${quoted(one)}`, hint: same };
  return {
    problem: `has two entries for what is one file on macOS and Windows, ${quoted(one)} and ${quoted(other)}`,
    hint: "Rename one of them, by more than the case of its letters.",
  };
}

/** The same for names that a disk may take for one. */
function folded(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase();
}

function withStates(entries: readonly ZipEntry[]): ZipContents | ZipProblem {
  const atTop = statesIn(entries, "");
  if (atTop.length > 0) return { entries, prefix: "", names: atTop };
  const tops = new Set(
    entries.filter(({ name }) => name.includes("/")).map(({ name }) => name.split("/")[0] ?? ""),
  );
  const [top, other] = tops;
  if (top === undefined) return { problem: "holds no states", hint: WANTED };
  if (other !== undefined) return severalFolders(entries, [...tops]);
  const names = statesIn(entries, `${top}/`);
  if (names.length > 0) return { entries, prefix: `${top}/`, names };
  return noStates(entries, `holds no states, neither at its top nor in its one top folder, ${top}`);
}

const WANTED = `States are files that end in ${EXTENSION_WORDS}; they belong at the top of the zip, or into its one top folder.`;

function severalFolders(entries: readonly ZipEntry[], tops: readonly string[]): ZipProblem {
  const flows = tops.filter((top) => statesIn(entries, `${top}/`).length > 0);
  const problem = `holds no states at its top, and ${String(tops.length)} folders there (${listed(tops)})`;
  const [flow, other] = flows;
  if (flow === undefined) return noStates(entries, problem);
  const hint =
    other === undefined
      ? `Pack ${flow} alone: it holds states.`
      : `Pack each workflow into a zip of its own: ${listed(flows)} hold states.`;
  return { problem, hint };
}

/** Tells where there are files that would be states elsewhere. */
function noStates(entries: readonly ZipEntry[], problem: string): ZipProblem {
  const deep = entries.find(({ isFolder, name }) => !isFolder && extensionOf(name) !== null);
  if (deep === undefined) return { problem, hint: WANTED };
  const folder = deep.name.slice(0, deep.name.lastIndexOf("/"));
  return { problem, hint: `There are some in ${folder}: pack that folder alone.` };
}

function statesIn(entries: readonly ZipEntry[], prefix: string): readonly string[] {
  const names = entries
    .filter(({ isFolder, name }) => !isFolder && name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
  return names.filter((name) => !name.includes("/") && extensionOf(name) !== null).sort();
}
