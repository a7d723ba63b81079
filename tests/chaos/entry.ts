import { commandLine } from "../../src/cli/command-line.ts";
import { thisSystem } from "../../src/cli/system.ts";

await commandLine({ now: () => Date.now(), system: () => Promise.resolve(thisSystem) });
