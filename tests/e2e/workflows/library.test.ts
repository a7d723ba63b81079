import { execFile } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, it } from "vitest";
import { type Project, tempProject } from "../../support/project.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const page = await readFile(path.join(ROOT, "docs", "library.md"), "utf8");

/** What a page shows in blocks of this language. */
function blocks(language: string): readonly string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...found].map(([, text = ""]) => text);
}

const examples = blocks("ts").map((code, index) => {
  return { folder: `example-${String(index + 1)}`, code, says: blocks("text")[index] };
});

/** The files of the page, by the name that stands in their first line. */
function shownFiles(): Readonly<Record<string, string>> {
  const files = ["bash", "markdown", "yaml"].flatMap(blocks).map((text) => {
    const name = /[\w./]+\/[\w.]+/.exec(text)?.[0] ?? "";
    return [name, text.slice(text.indexOf("\n") + 1)] as const;
  });
  return Object.fromEntries(files);
}

/** A project that has raymond installed, and each example in a folder of its own, beside the files of the page. */
async function projectOfExamples(): Promise<Project> {
  const project = await tempProject({ "package.json": JSON.stringify({ type: "module" }) });
  await mkdir(path.join(project.dir, "node_modules"));
  await symlink(ROOT, path.join(project.dir, "node_modules", "raymond"), "junction");
  for (const { folder, code } of examples) {
    for (const [file, text] of Object.entries({ ...shownFiles(), "example.ts": code })) {
      await project.write(path.join(folder, file), text);
    }
  }
  return project;
}

/** Compiles the examples as a strict user of the package does; returns what the compiler says. */
function compile({ dir }: Project): string {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    typeRoots: [path.join(ROOT, "node_modules", "@types")],
  };
  const files = examples.map(({ folder }) => path.join(dir, folder, "example.ts"));
  const program = ts.createProgram(files, options);
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return ts.formatDiagnostics(found, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => dir,
    getNewLine: () => "\n",
  });
}

it("docs/library.md has examples that compile and print the documented output", async () => {
  expect(examples.length).toBeGreaterThan(4);
  expect(blocks("text")).toHaveLength(examples.length);
  const project = await projectOfExamples();

  expect(compile(project)).toBe("");
  for (const { folder, says } of examples) {
    const said = await promisify(execFile)(process.execPath, ["example.js"], {
      cwd: path.join(project.dir, folder),
      env: project.env,
    });
    expect({ folder, ...said }).toEqual({ folder, stdout: says, stderr: "" });
  }
});
