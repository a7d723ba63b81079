import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFailed, onTestFinished } from "vitest";
import { until } from "../support/until.ts";

/** How a program on Windows ended, and what it said. */
export interface WindowsResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program on Windows that runs. */
export interface WindowsProgram {
  readonly exit: Promise<WindowsResult>;
  stdout(): string;
  stderr(): string;
  /** Resolves once it has said something that matches; rejects when it ends before. */
  said(pattern: RegExp): Promise<void>;
  /** Without a word to it: as the Task Manager does. */
  kill(): void;
}

export interface WindowsCall {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const WINE = process.env["RAYMOND_TEST_WINE"];

/** Starts Node for Windows for a test: this one on Windows, elsewhere the one under wine (`npm run test:windows`). */
export function startWindowsNode(args: readonly string[], call: WindowsCall): WindowsProgram {
  const { program, dispose } = launchWindowsNode(args, call);
  onTestFinished(dispose);
  onTestFailed(() => {
    process.stderr.write(`\n$ ${args.join(" ")}\n${program.stderr()}${program.stdout()}`);
  });
  return program;
}

/** The same outside of a test. `dispose` ends it, and takes away what it has said. */
export function launchWindowsNode(
  args: readonly string[],
  call: WindowsCall,
): { readonly program: WindowsProgram; readonly dispose: () => void } {
  const [node, ...before] = nodeCommand();
  const said = mkdtempSync(path.join(tmpdir(), "raymond-said-"));
  // wine hands no pipe of Linux on to node.exe.
  const files = ["stdout", "stderr"].map((name) => path.join(said, name));
  const descriptors = files.map((file) => openSync(file, "w"));
  const child = spawn(node, [...before, ...args], {
    cwd: call.cwd,
    env: { ...inherited(), ...call.env },
    stdio: ["ignore", descriptors[0], descriptors[1]],
  });
  for (const descriptor of descriptors) closeSync(descriptor);
  const kept: string[] = [];
  const read = (file: string) => readFileSync(file, "utf8");
  const text = (index: number) => () => kept[index] ?? read(files[index] ?? "");
  const dispose = () => {
    child.kill("SIGKILL");
    kept.push(...files.map(read));
    rmSync(said, { recursive: true, force: true });
  };
  return { program: watch(child, text(0), text(1)), dispose };
}

/** The same, to its end. */
export function windowsNode(args: readonly string[], call: WindowsCall): Promise<WindowsResult> {
  return startWindowsNode(args, call).exit;
}

/** A path of this machine as Windows knows it. */
export function windowsPath(file: string): string {
  return process.platform === "win32" ? file : `Z:${file.replaceAll("/", "\\")}`;
}

/** Node for Windows, as a batch file there calls it. */
export function nodeOnWindows(): string {
  return windowsPath(nodeCommand().at(-1) ?? "");
}

/** A folder for one test. */
export function windowsFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "raymond-windows-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  mkdirSync(path.join(folder, "project"));
  return path.join(folder, "project");
}

function nodeCommand(): readonly [string, ...string[]] {
  if (process.platform === "win32") return [process.execPath];
  const node = process.env["RAYMOND_TEST_WINDOWS_NODE"];
  if (WINE === undefined || node === undefined)
    throw new Error("Run this by: npm run test:windows");
  return [WINE, node];
}

/** Without the settings of the user who runs the tests. */
function inherited(): Record<string, string> {
  const names = [
    ...["PATH", "HOME", "WINEPREFIX", "TEMP", "TMP", "SystemRoot", "PATHEXT", "COMSPEC"],
    ...["USERPROFILE", "APPDATA", "LOCALAPPDATA", "SystemDrive"],
  ];
  const values = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(Object.fromEntries(values) as Record<string, string>),
    WINEDEBUG: "-all",
    NODE_SKIP_PLATFORM_CHECK: "1",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
  };
}

function watch(child: ChildProcess, stdout: () => string, stderr: () => string): WindowsProgram {
  const exit = new Promise<WindowsResult>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`No end in ${String(MOST_MS)} ms. It said: ${stdout()}${stderr()}`));
    }, MOST_MS);
    child.once("error", reject);
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, stdout: stdout(), stderr: stderr() });
    });
  });
  return {
    exit,
    stdout,
    stderr,
    said: async (pattern) => {
      await until(`it to say ${String(pattern)}`, () => {
        if (pattern.test(stdout()) || pattern.test(stderr())) return Promise.resolve(true);
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`It ended, and said nothing like ${String(pattern)}`);
        }
        return Promise.resolve(undefined);
      });
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

const MOST_MS = 90_000;
