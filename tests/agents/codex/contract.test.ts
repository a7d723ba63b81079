import { ANSWER, describeBackend, type Scenario } from "../../contracts/backend.ts";
import { type Answer, fails, says } from "./responses-api.ts";
import { codexScene } from "./scene.ts";

const DOES: { readonly [S in Scenario]: Answer } = {
  answers: says(ANSWER),
  hangs: { kind: "stalls" },
  fails: fails(400, { message: "No." }),
  capped: says(ANSWER),
};

describeBackend("codex", (scenario) => codexScene(() => DOES[scenario]));
