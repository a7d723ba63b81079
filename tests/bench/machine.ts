import fs from "node:fs";
import { cpus } from "node:os";
import path from "node:path";
import { writeDurably } from "./durable-write.ts";
import { type Sample, sampleOf } from "./measure.ts";

/** One line about the machine. */
export function machineLine(): string {
  const [cpu] = cpus();
  const model = cpu?.model.trim() ?? "";
  const cores = `${String(cpus().length)} cores${model === "" ? "" : ` (${model})`}`;
  return `node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores}`;
}

/** Duration of a durable write of a small file, ms. */
export function durabilityCost(folder: string, bytes: number, times: number): Sample {
  const text = "x".repeat(bytes);
  const file = path.join(folder, "durable.json");
  const costs = Array.from({ length: times }, () => {
    const began = performance.now();
    writeDurably(file, text);
    return performance.now() - began;
  });
  fs.rmSync(file);
  return sampleOf(costs);
}
