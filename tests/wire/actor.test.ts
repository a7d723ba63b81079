import { hostname, userInfo } from "node:os";
import { expect, it } from "vitest";
import { thisProcess } from "../../src/wire/caller.ts";

const { username: user } = userInfo();

it("comes from the user id and not from variables", () => {
  const env = { USER: "mallory", LOGNAME: "mallory", USERNAME: "mallory", HOSTNAME: "elsewhere" };

  expect(thisProcess({ env }).actor()).toEqual({ user, host: hostname(), via: "command" });
});

it("contains the user who called sudo in addition", () => {
  expect(thisProcess({ env: { SUDO_USER: "jane" } }).actor()).toMatchObject({
    ...{ user, sudoUser: "jane" },
  });
});
