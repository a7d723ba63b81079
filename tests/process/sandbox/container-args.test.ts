import { describe, expect, it } from "vitest";
import {
  type ContainerCall,
  containerArgs,
  containerInput,
  containerName,
  mountsOf,
} from "../../../src/process/sandbox/container-args.ts";

function args(changes: Partial<ContainerCall> = {}): readonly string[] {
  return containerArgs({
    ...{ program: "podman", name: "raymond-1", image: "img", user: { uid: 1000, gid: 100 } },
    ...{ network: true, script: "/p/flow/A.sh" },
    paths: { cwd: "/p", readable: [], writable: ["/p"], protected: [] },
    ...changes,
  });
}

function mounts(paths: Partial<ContainerCall["paths"]>): readonly string[] {
  const all = { cwd: "/p", readable: [], writable: [], protected: [], ...paths };
  return mountsOf(all).map(({ path, writable }) => `${writable ? "rw" : "ro"} ${path}`);
}

describe("the arguments of a container", () => {
  it("give it no rights beyond those of the user, and download nothing", () => {
    expect(args()).toEqual(
      expect.arrayContaining([
        ...["--rm", "--pull=never", "--user=1000:100", "--userns=keep-id", "--cap-drop=ALL"],
        ...["--security-opt=no-new-privileges", "--log-driver=none"],
      ]),
    );
    expect(args()).not.toContain("--network=none");
    expect(args({ network: false })).toContain("--network=none");
    expect(args({ program: "docker" })).not.toContain("--userns=keep-id");
  });

  it("quote paths with commas and quotes", () => {
    const paths = { cwd: "/p", readable: [], writable: ['/p/a,"b'], protected: [] };

    expect(args({ paths })).toContain('--mount=type=bind,"source=/p/a,""b","target=/p/a,""b"');
  });

  it("name the container without the token of the step", () => {
    expect(containerName("secret.1")).toMatch(/^raymond-[0-9a-f]{24}$/);
    expect(containerName("secret.1")).not.toBe(containerName("secret.2"));
  });

  it("contain no variables: these are its input, with an empty one as the end", () => {
    expect(containerInput({ A: "x\ny", B: "" })).toBe("A=x\ny\0B=\0\0");
  });
});

describe("the mounts of a container", () => {
  it.each([
    ["the working folder", { writable: ["/p"] }, ["rw /p"]],
    ["a read-only working folder", {}, ["ro /p"]],
    ["a writable folder in it", { writable: ["/p/dist"] }, ["rw /p/dist", "ro /p"]],
    [
      "protected files in a writable folder",
      { writable: ["/p"], protected: ["/p/flow", "/p/.git/hooks"] },
      ["rw /p", "ro /p/flow", "ro /p/.git/hooks"],
    ],
    ["no protected files elsewhere", { writable: ["/p"], protected: ["/state"] }, ["rw /p"]],
    [
      "a workflow elsewhere",
      { writable: ["/p"], readable: ["/flow", "/flow/A.sh"] },
      ["rw /p", "ro /flow"],
    ],
    [
      "nothing writable in protected files",
      { writable: ["/p", "/p/flow/x"], protected: ["/p/flow"] },
      ["rw /p", "ro /p/flow"],
    ],
    ["a protected working folder", { writable: ["/p"], protected: ["/p"] }, ["ro /p"]],
  ])("contain %s", (_what, paths, expected) => {
    expect(mounts(paths)).toEqual(expected);
  });
});
