import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { inputsOf } from "./inputs.ts";
import { targetNamed } from "./targets.ts";

export interface Campaign {
  /** Names of targets (`targets.ts`). */
  readonly targets: readonly string[];
  readonly seed: string;
  /** For each target. */
  readonly ms: number;
  /** One input may take so long before it counts as one that never ends; 30,000 ms without. */
  readonly patienceMs?: number;
}

export interface Harvest {
  readonly target: string;
  /** Inputs that were read. */
  readonly count: number;
  /** One paragraph each: what was broken, and how to see it again. */
  readonly findings: readonly string[];
}

/** Where inputs that broke a promise are kept: `findings/<target>/`, out of git. */
const FINDINGS = path.join(import.meta.dirname, "findings");

/** Fuzzes the targets one after the other, in a process of its own, and keeps what it finds. */
export async function fuzz(campaign: Campaign): Promise<readonly Harvest[]> {
  const { seed } = campaign;
  const lines: Said[] = [];
  let left = campaign.targets;
  while (left.length > 0) {
    const said = await explored({ ...campaign, targets: left });
    lines.push(...said);
    const over = said.flatMap((line) => ("count" in line ? [line.target] : []));
    left = left.filter((target) => !over.includes(target));
  }
  return Promise.all(
    campaign.targets.map(async (target) => {
      const own = lines.filter((line) => line.target === target);
      const input = inputsOf(targetNamed(target), seed);
      const findings = own.flatMap((line) =>
        "broken" in line ? [kept(target, input(line.index), line.broken)] : [],
      );
      const count = own.reduce((sum, line) => ("count" in line ? sum + line.count : sum), 0);
      return { target, count, findings: await Promise.all(findings) };
    }),
  );
}

async function kept(target: string, input: Buffer, broken: string): Promise<string> {
  const name = createHash("sha256").update(input).digest("hex").slice(0, 12);
  const file = path.join(FINDINGS, target, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, input);
  return `${target}: ${broken}\n  see it again: npm run fuzz -- --replay ${path.relative(process.cwd(), file)}`;
}

const placeSchema = z.object({ target: z.string(), index: z.number() });
const saidSchema = z.union([
  placeSchema.extend({ broken: z.string() }),
  z.object({ target: z.string(), count: z.number() }),
]);
type Said = z.infer<typeof saidSchema>;

/** What one process of `explorer.ts` has said, and where it ended if that was too soon. */
async function explored({ targets, seed, ms, patienceMs = 30_000 }: Campaign) {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-fuzz-"));
  const progress = path.join(folder, "progress");
  const script = path.join(import.meta.dirname, "explorer.ts");
  const words = ["--import", import.meta.resolve("tsx"), script, seed, String(ms), progress];
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [...words, ...targets], { stdio });
  const watch = watchFor(child, progress, patienceMs);
  try {
    const outputs = [text(child.stdout), text(child.stderr), ended(child)] as const;
    const [said, complained] = await Promise.all(outputs);
    const stuck = watch();
    const lines = said.split("\n").filter((line) => line !== "");
    const read = lines.map((line): Said => saidSchema.parse(JSON.parse(line)));
    if (child.exitCode === 0) return read;
    // It died over an input, of memory say, or was ended here.
    const at = await readFile(progress, "utf8").catch(() => "");
    if (at === "") throw new Error(`The explorer could not begin: ${complained}`);
    const { target, index } = placeSchema.parse(JSON.parse(at));
    const broken = stuck
      ? `It did not end within ${String(patienceMs)} ms.`
      : `The process died: ${complained.trim().split("\n").slice(-3).join(" ")}`;
    return [...read, { target, index, broken }, { target, count: index + 1 }];
  } finally {
    watch();
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Ends the process when it stays at one input for too long. The answer says whether it had to. */
function watchFor(child: ChildProcess, progress: string, patienceMs: number): () => boolean {
  let last = "";
  let stuck = false;
  const look = async (): Promise<void> => {
    const now = await readFile(progress, "utf8").catch(() => "");
    if (now === last && now !== "") {
      stuck = true;
      child.kill("SIGKILL");
    }
    last = now;
  };
  const timer = setInterval(() => void look(), patienceMs);
  return () => {
    clearInterval(timer);
    return stuck;
  };
}
