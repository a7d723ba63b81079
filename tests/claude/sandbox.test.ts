import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says, uses } from "../support/client/messages-answer.ts";
import { debianProgram } from "../support/debian-program.ts";
import { describeNeeds, type Need, PROC } from "../support/needs.ts";
import { prompt, setScene } from "./scene.ts";

const PROGRAMS: readonly Need[] = [
  PROC,
  await debianProgram("bwrap", "bubblewrap"),
  await debianProgram("socat", "socat"),
];
const ALL: Need = PROGRAMS.find(({ met }) => !met) ?? PROC;

const START = prompt("Alpha.", "{ tag: result }");
const DONE = says("<result>done</result>");
const UNASKED = ["--dangerously-skip-permissions"];

/** docs/sandbox.md, "Sandbox". */
for (const client of CLIENT_VERSIONS) {
  describeNeeds(ALL, `a sandboxed prompt with the client ${client}`, () => {
    it("changes only the paths of its sandbox, by commands and by tools", async () => {
      const outside = `/var/tmp/raymond-sandbox-${client}-${String(process.pid)}`;
      const answer = runs(
        `echo x > inside; echo x > out/inside; echo x > flow/NEXT.sh; echo x > ${outside}`,
        uses("Write", { file_path: outside, content: "x" }, DONE),
      );
      const scene = await setScene(client, { "flow/START.md": START }, [["Alpha", answer]], "flow");
      await mkdir(path.join(scene.project.dir, "out"));

      const end = await scene.run(["--sandbox", "write:.,write:out", ...UNASKED], {
        env: { IS_SANDBOX: "1" },
      });

      expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
      const has = (file: string) => existsSync(path.join(scene.project.dir, file));
      expect([has("inside"), has("out/inside"), has("flow/NEXT.sh")]).toEqual([true, true, false]);
      expect(existsSync(outside)).toBe(false);
    });

    it("cannot move the folders of protected files and of git", async () => {
      const answer = runs(
        "mv a .a; mkdir -p a/flow; echo 'touch escaped' > a/flow/NEXT.sh; mv .git .g; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; touch a/new",
        DONE,
      );
      const files = { "a/flow/START.md": START, "a/flow/NEXT.sh": "true\n", ".git/HEAD": "x\n" };
      const scene = await setScene(client, files, [["Alpha", answer]], "a/flow");
      await mkdir(path.join(scene.project.dir, ".git", "hooks"));

      const end = await scene.run(["--sandbox", "on", ...UNASKED], { env: { IS_SANDBOX: "1" } });

      expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
      const has = (file: string) => existsSync(path.join(scene.project.dir, file));
      expect([has("a/new"), has(".git/HEAD"), has(".git/hooks/pre-commit")]).toEqual([
        true,
        true,
        false,
      ]);
      expect(await scene.project.read("a/flow/NEXT.sh")).toBe("true\n");
    });

    it.each([
      ["on", "reached"],
      ["network:off", "no"],
    ])("with the sandbox %s, the answer of a server is: %s", async (sandbox, expected) => {
      const server = createServer((_, response) => response.end("reached"));
      await new Promise<void>((ready) => server.listen(0, "0.0.0.0", ready));
      onTestFinished(() => void server.close());
      const bound = server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : 0;
      const url = `http://${ownAddress()}:${String(port)}/`;
      const answer = runs(
        `curl -sf --noproxy '' -x "$HTTP_PROXY" ${url} > got || echo no > got`,
        DONE,
      );
      const scene = await setScene(client, { "flow/START.md": START }, [["Alpha", answer]], "flow");

      const end = await scene.run(["--sandbox", sandbox, ...UNASKED], { env: { IS_SANDBOX: "1" } });

      expect(end.exitCode).toBe(0);
      expect(await scene.project.read("got")).toContain(expected);
    });

    it("is not started if the client has no sandbox on this machine", async () => {
      const answer = runs("echo x > inside", DONE);
      const scene = await setScene(client, { "flow/START.md": START }, [["Alpha", answer]], "flow");

      const programs = path.join(scene.project.dir, "programs");
      await mkdir(programs);
      await symlink(process.execPath, path.join(programs, "node"));

      const end = await scene.run(["--sandbox", "on"], { env: { PATH: programs } });

      expect(end.exitCode).toBe(1);
      expect(end.stderr).toMatch(
        /claude cannot create the sandbox of START\.md: .*bwrap.* not installed, socat not installed\.$/m,
      );
      expect(end.stderr).toContain("apt install bubblewrap socat");
      // It was not retried.
      expect(end.stderr.match(/main {2}START\.md/g)).toHaveLength(1);
      expect(scene.api.turns).toHaveLength(0);
    });
  });
}

/** An address of this machine other than the loopback address, which no proxy serves. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
