import { expect, it } from "vitest";
import { checkEnvironment } from "../../src/doctor/environment.ts";

const SETTINGS = { envPass: null, envSet: {}, envSecret: [] };

it("lists the variables of prompts, with those of the default coding agent", () => {
  const env = { PATH: "/bin", PRIVATE: "1", ANTHROPIC_API_KEY: "k" };

  const [prompts, scripts] = checkEnvironment(SETTINGS, env, () => "the default");

  expect(prompts?.message).toMatch(
    /^prompts receive 2 of 3 variables .*: ANTHROPIC_API_KEY, PATH$/,
  );
  expect(scripts?.message).toMatch(/^scripts receive 3 of 3 variables/);
});
