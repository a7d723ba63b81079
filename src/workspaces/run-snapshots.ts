import { createHash } from "node:crypto";
import path from "node:path";
import type { SnapshotMessages, Snapshots, StepSnapshot } from "../engine/ports/snapshots.ts";
import { gitEntryAbove } from "../files/git-entry.ts";
import { pathInside } from "../files/paths.ts";
import { counted } from "../language/basics/counted.ts";
import type { CallPermissions } from "../machine/decide/permissions.ts";
import type { Step } from "../machine/decide/step.ts";
import type { RunId, SnapshotMode } from "../machine/model/run-state.ts";
import type { StepChanges } from "../machine/model/step-changes.ts";
import type { SkipReason } from "./changed-paths.ts";
import { fileChanges, NO_CHANGES, sumOf } from "./changes.ts";
import { FolderSnapshots, lastSnapshot, MAX_FILE_BYTES } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit, type PlainGit } from "./plain-git.ts";
import { refOf } from "./refs.ts";
import { findRepository, type Repository } from "./repository.ts";
import { RepositoryGuard } from "./repository-guard.ts";

export interface RunSnapshotsOptions {
  readonly run: RunId;
  readonly mode: SnapshotMode;
  readonly git: Git;
  readonly launchDir: string;
  /** A folder of raymond for its git directories: no step may write to it. */
  readonly folder: string;
  readonly without: readonly string[];
  /** Knows the repositories of the run. */
  readonly guard?: RepositoryGuard;
  /** The user or the workflow chose the steps with snapshots; absent: it is the default. */
  readonly isRequested?: boolean;
}

/** A working tree that steps of the run work in. */
interface Tree {
  readonly plain: PlainGit;
  readonly snapshots: FolderSnapshots;
  /** Attempts in progress. */
  readonly active: Set<{ shared: boolean }>;
  /** Not yet reported. */
  readonly skipped: Map<string, SkipReason>;
}

/** The repository of a folder, and the `.git` by which it was found. */
interface Found {
  readonly entry: string | null;
  readonly repository: Repository | null;
}

/** Snapshots of a run in the repositories of this machine (docs/workspaces.md, "Snapshots"). */
export class RunSnapshots implements Snapshots {
  readonly #options: RunSnapshotsOptions;
  readonly #guard: RepositoryGuard;
  readonly #trees = new Map<string, Promise<Tree>>();
  /** By folder of a step. */
  readonly #repositories = new Map<string, Found>();
  #hasFailed = false;
  #isOff = false;
  #isOutsideReported = false;

  constructor(options: RunSnapshotsOptions) {
    this.#options = options;
    this.#guard = options.guard ?? new RepositoryGuard();
  }

  async begin(step: Step, messages: SnapshotMessages): Promise<StepSnapshot | null> {
    const { cwd } = step;
    const isKnown = await this.#attempt(step, messages, () => {
      this.#guard.check(cwd);
      return true;
    });
    if (isKnown === null || !this.#isWanted(step)) return null;
    const tree = await this.#attempt(step, messages, () => this.#treeOf(cwd, messages));
    if (tree === null) return null;
    const before = await this.#take(tree, "before", step, messages);
    if (before === null) return null;
    const attempt = { shared: false };
    tree.active.add(attempt);
    if (tree.active.size > 1) for (const each of tree.active) each.shared = true;
    return {
      end: async () => {
        const after = await this.#take(tree, "after", step, messages);
        tree.active.delete(attempt);
        if (after === null) return null;
        return this.#attempt(step, messages, () => changesOf(before, after, attempt, tree.plain));
      },
    };
  }

  #isWanted({ file, gated, permissions }: Step): boolean {
    const { mode } = this.#options;
    if (this.#isOff || mode === "off") return false;
    if (mode === "all") return true;
    return (
      file.kind === "prompt" && gated === null && permissions !== null && canChange(permissions)
    );
  }

  async #treeOf(cwd: string, messages: SnapshotMessages): Promise<Tree | null> {
    const repository = await this.#repositoryOf(cwd);
    if (repository === null) {
      this.#reportOutside(cwd, messages);
      return null;
    }
    const { top } = repository;
    const known = this.#trees.get(top);
    if (known !== undefined) return known;
    const opening = this.#open(repository);
    this.#trees.set(top, opening);
    opening.catch(() => this.#trees.delete(top));
    return opening;
  }

  /** Finds it again if a step has created or removed a repository. */
  async #repositoryOf(cwd: string): Promise<Repository | null> {
    const entry = gitEntryAbove(cwd);
    const known = this.#repositories.get(cwd);
    if (known?.entry === entry) return known.repository;
    const repository = await findRepository(cwd, this.#options.git);
    this.#repositories.set(cwd, { entry, repository });
    return repository;
  }

  async #open(repository: Repository): Promise<Tree> {
    const { run, git, launchDir, folder, without } = this.#options;
    const isOther = pathInside(repository.top, launchDir) === null;
    const name = isOther ? treeName(repository.top) : "main";
    const plain = await openPlainGit(repository, { folder: path.join(folder, name) }, git);
    const ref = refOf(run, name);
    const skipped = new Map<string, SkipReason>();
    const onSkipped = (found: ReadonlyMap<string, SkipReason>) => {
      for (const [file, reason] of found) skipped.set(file, reason);
    };
    const last = await lastSnapshot(ref, plain);
    const snapshots = new FolderSnapshots({ plain, ref, without, onSkipped }, last);
    return { plain, snapshots, active: new Set(), skipped };
  }

  /** Once per run. Most users outside of git expect no snapshots. */
  #reportOutside(cwd: string, messages: SnapshotMessages): void {
    if (this.#isOutsideReported) return;
    this.#isOutsideReported = true;
    const { isRequested = false } = this.#options;
    const reason = `${cwd} is not in a git repository with a working tree, or git ignores it`;
    messages.notice(`no snapshots: ${reason}`, { minor: !isRequested });
  }

  #take(tree: Tree, when: "before" | "after", step: Step, messages: SnapshotMessages) {
    const title = `raymond: ${step.run} ${when} step ${String(step.process)}, ${step.file.name}`;
    return this.#attempt(step, messages, async () => {
      this.#guard.check(tree.plain.repository.top);
      const taken = await tree.snapshots.take(title);
      if (tree.skipped.size > 0) messages.notice(skippedNotice(tree.skipped));
      tree.skipped.clear();
      return taken.commit;
    });
  }

  /** Null after a failure, which is reported once. */
  async #attempt<T>(
    { cwd }: Step,
    messages: SnapshotMessages,
    act: () => T | Promise<T>,
  ): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Each step would wait again.
      this.#isOff ||= /timed out/.test(reason);
      if (!this.#hasFailed || this.#isOff) messages.warning(failureOf(cwd, reason, this.#isOff));
      this.#hasFailed = true;
      return null;
    }
  }
}

/** Permitted commands of a read-only step may change files. */
function canChange({ level, allow }: CallPermissions): boolean {
  return level !== "read-only" || allow.length > 0;
}

async function changesOf(
  base: string,
  snapshot: string,
  { shared }: { readonly shared: boolean },
  plain: PlainGit,
): Promise<StepChanges> {
  const changes = base === snapshot ? NO_CHANGES : sumOf(await fileChanges(base, snapshot, plain));
  return { base, snapshot, ...changes, ...(shared && { shared }) };
}

function failureOf(folder: string, reason: string, isOff: boolean): string {
  const end = isOff ? "The run continues without snapshots." : "The run continues.";
  const what = `Cannot make a snapshot of the files in ${folder}: ${reason.replace(/\.$/, "")}.`;
  return `${what} ${adviceFor(reason)} ${end}`;
}

function adviceFor(reason: string): string {
  if (/no space left|ENOSPC|quota|file too large/i.test(reason))
    return "Free some space on the disk of the repository, and later steps have snapshots again.";
  if (/read-only|permission|not permitted|EACCES|EROFS|EPERM/i.test(reason))
    return "Make its .git folder writable for this user, and later steps have snapshots again.";
  if (/no longer names/.test(reason))
    return "A step has replaced it, or a file in it. Check it with: git rev-parse --git-dir --git-common-dir. Later steps have no snapshots until you resume the run.";
  return "To run without snapshots, use --snapshots off.";
}

function skippedNotice(skipped: ReadonlyMap<string, SkipReason>): string {
  const parts = (["large", "repository", "unreadable"] as const).flatMap((reason) => {
    const names = [...skipped].flatMap(([name, why]) => (why === reason ? shown(name) : []));
    if (names.length === 0) return [];
    const more = names.length > SHOWN ? ", …" : "";
    const [one, many] = WORDS[reason];
    const words = counted(names.length, one, many);
    return `${words} (${names.slice(0, SHOWN).join(", ")}${more})`;
  });
  return `not in snapshots: ${parts.join("; ")}`;
}

const LIMIT = `${String(MAX_FILE_BYTES / 1024 / 1024)} MiB`;
const WORDS = {
  large: [`file over ${LIMIT}`, `files over ${LIMIT}`],
  repository: ["repository or submodule", "repositories or submodules"],
  unreadable: ["unreadable file", "unreadable files"],
} as const;
const SHOWN = 3;

function shown(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8").replace(/\/$/, "");
}

/** The name of the ref and of the git directory for another working tree than that of the run. */
export function treeName(top: string): string {
  return createHash("sha256").update(top).digest("hex").slice(0, 12);
}
