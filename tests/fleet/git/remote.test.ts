import { expect, it } from "vitest";
import { remoteError } from "../../../src/fleet/git/remote.ts";

it("explains how git can read a local repository of another user", () => {
  const remote = "/srv/remote.git";
  const said = `fatal: detected dubious ownership in repository at '${remote}'`;

  const trouble = remoteError(remote, said);

  expect(trouble.code).toBe("fleet/remote-refused");
  expect(trouble.hint).toContain(`safe.directory ${remote}`);
});
