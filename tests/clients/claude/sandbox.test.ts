import { expect, it } from "vitest";
import { settingsArgs } from "../../../src/clients/claude/sandbox.ts";

it("lets no sandboxed command open a path that deny names, except those with wildcards", () => {
  const [flag = ""] = settingsArgs(
    {
      sandbox: { writable: ["/p"], network: true },
      deny: [
        { kind: "read", value: "/p/.env" },
        { kind: "read", value: "/p/*.key" },
        { kind: "write", value: "/p/src" },
      ],
      deniedPaths: [],
      level: "full",
    },
    [],
  );

  expect(JSON.parse(flag.slice("--settings=".length))).toMatchObject({
    sandbox: { filesystem: { denyRead: ["/p/.env"] } },
  });
});
