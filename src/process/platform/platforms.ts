import type { ProcessPlatform } from "./platform.ts";
import { linux, otherUnix } from "./unix.ts";
import { windows } from "./windows.ts";

export function platformOf(name: NodeJS.Platform): ProcessPlatform {
  if (name === "linux" || name === "android") return linux;
  return name === "win32" ? windows : otherUnix;
}

export const thisPlatform: ProcessPlatform = platformOf(process.platform);
