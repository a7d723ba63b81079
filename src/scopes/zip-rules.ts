import { windowsNameProblem } from "../language/basics/windows-name.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { EXTENSION_WORDS, extensionOf, foldedName } from "../language/workflow/files/state-name.ts";
import { listed, quoted } from "../language/workflow/quote.ts";
import { LEAVE_OUT, PACK, tooMany, type ZipEntry, type ZipProblem } from "./zip-entries.ts";

export const MAX_ENTRIES = 2_000;
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
/** The file type of a regular file. */
export const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;

/** The used part of a zip. */
export interface ZipContents {
  /** Files and folders, without ignored ones. */
  readonly entries: readonly ZipEntry[];
  /** The folder that contains the states: empty, or a name and `/`. */
  readonly prefix: string;
  /** The names of the states in that folder, sorted. */
  readonly names: readonly string[];
}

/** Checks the entries of a zip. Returns its used part, or why it is refused. */
export function checkZip(all: readonly ZipEntry[], platform: Platform): ZipContents | ZipProblem {
  if (all.length === 0) return { problem: "is empty", hint: `Pack the workflow: ${PACK}` };
  if (all.length > MAX_ENTRIES) return tooMany(all.length, MAX_ENTRIES);
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_UNPACKED_BYTES) {
    const size = Math.ceil(bytes / MIB).toLocaleString("en");
    return { problem: `unpacks to ${size} MiB; the maximum is 64 MiB`, hint: LEAVE_OUT };
  }
  for (const { name } of all) {
    const problem = nameProblem(name);
    if (problem !== null) {
      return { ...problem, problem: `has the entry ${JSON.stringify(name)}, ${problem.problem}` };
    }
  }
  const entries = all.filter(({ name }) => !isIgnored(name));
  for (const entry of entries) {
    const problem = entryProblem(entry) ?? (platform === "windows" ? windowsProblem(entry) : null);
    if (problem !== null) {
      return { ...problem, problem: `has the entry ${quoted(entry.name)}, ${problem.problem}` };
    }
  }
  return twinProblem(entries) ?? withStates(entries);
}

function nameProblem(name: string): ZipProblem | null {
  const relative = `Pack it from within its folder: ${PACK}`;
  if (name.includes("\\")) {
    return {
      problem: "but names with \\ mean different paths on different systems",
      hint: "Rename the file, or use a zip program that separates folders with /.",
    };
  }
  if (name.includes("\0")) {
    return { problem: "which contains a NUL character", hint: relative };
  }
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) {
    return { problem: "which is an absolute path", hint: relative };
  }
  const parts = name.replace(/\/$/, "").split("/");
  if (parts.includes("..")) return { problem: "which is outside the zip", hint: relative };
  if (parts.includes(".") || parts.includes("")) {
    return { problem: "which is not a normalized path", hint: relative };
  }
  if (parts.some((part) => Buffer.byteLength(part) > 255)) {
    return { problem: "whose name is too long for a file", hint: "Rename it." };
  }
  return null;
}

/** Hidden files and metadata of macOS, which are not unpacked. */
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
      hint: "Pack its target instead, by using zip -r without -y.",
    };
  }
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR)) {
    return { problem: "which is not a regular file", hint: "Remove it from the zip." };
  }
  if (method !== 0 && method !== 8) {
    return {
      problem: `which uses the unsupported compression method ${String(method)}`,
      hint: `Use deflate, for example: ${PACK}`,
    };
  }
  return null;
}

function windowsProblem({ name }: ZipEntry): ZipProblem | null {
  const problems = name.replace(/\/$/, "").split("/").map(windowsNameProblem);
  const problem = problems.find((one) => one !== null);
  if (problem === undefined) return null;
  return {
    problem: `which ${problem}, so Windows cannot create it`,
    hint: "Rename it, update its references, and pack the folder again.",
  };
}

/**
 * Rejects names that collide on file systems that ignore case or Unicode normalization, or that are
 * both a file and a folder.
 */
function twinProblem(entries: readonly ZipEntry[]): ZipProblem | null {
  const seen = new Set<string>();
  const places = new Map<string, { readonly name: string; readonly isFolder: boolean }>();
  for (const entry of entries) {
    const name = entry.name.replace(/\/$/, "");
    if (seen.has(name)) return twins(name, name);
    seen.add(name);
    const parts = name.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const place = {
        name: parts.slice(0, depth).join("/"),
        isFolder: depth < parts.length || entry.isFolder,
      };
      const known = places.get(foldedName(place.name));
      places.set(foldedName(place.name), place);
      if (known === undefined) continue;
      if (known.name !== place.name || known.isFolder !== place.isFolder) {
        return twins(known.name, place.name);
      }
    }
  }
  return null;
}

function twins(one: string, other: string): ZipProblem {
  const same = "Rename one of them, or pack the folder again.";
  if (one === other) return { problem: `has two entries for ${quoted(one)}`, hint: same };
  return {
    problem: `has entries that are the same file on macOS and Windows: ${quoted(one)} and ${quoted(other)}`,
    hint: "Rename one of them: names must differ in more than case.",
  };
}

function withStates(entries: readonly ZipEntry[]): ZipContents | ZipProblem {
  const atTop = statesIn(entries, "");
  if (atTop.length > 0) return { entries, prefix: "", names: atTop };
  const tops = new Set(
    entries.filter(({ name }) => name.includes("/")).map(({ name }) => name.split("/")[0] ?? ""),
  );
  const [top, other] = tops;
  if (top === undefined) return { problem: "contains no states", hint: STATES_HINT };
  if (other !== undefined) return severalFolders(entries, [...tops]);
  const names = statesIn(entries, `${top}/`);
  if (names.length > 0) return { entries, prefix: `${top}/`, names };
  return noStates(
    entries,
    `contains no states, neither at its top nor in its only top folder, ${top}`,
  );
}

const STATES_HINT = `States are files that end in ${EXTENSION_WORDS}; put them at the top of the zip, or in its only top folder.`;

function severalFolders(entries: readonly ZipEntry[], tops: readonly string[]): ZipProblem {
  const flows = tops.filter((top) => statesIn(entries, `${top}/`).length > 0);
  const problem = `contains no states at its top, but ${String(tops.length)} folders (${listed(tops)})`;
  const [flow, other] = flows;
  if (flow === undefined) return noStates(entries, problem);
  const hint =
    other === undefined
      ? `Pack only ${flow}, which contains states.`
      : `Pack each workflow into a zip of its own: ${listed(flows)} contain states.`;
  return { problem, hint };
}

/** The hint mentions misplaced states. */
function noStates(entries: readonly ZipEntry[], problem: string): ZipProblem {
  const deep = entries.find(({ isFolder, name }) => !isFolder && extensionOf(name) !== null);
  if (deep === undefined) return { problem, hint: STATES_HINT };
  const folder = deep.name.slice(0, deep.name.lastIndexOf("/"));
  return { problem, hint: `Pack only ${folder}, which contains states.` };
}

function statesIn(entries: readonly ZipEntry[], prefix: string): readonly string[] {
  const names = entries
    .filter(({ isFolder, name }) => !isFolder && name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
  return names.filter((name) => !name.includes("/") && extensionOf(name) !== null).sort();
}
