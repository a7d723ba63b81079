import { ANSWER, describeBackend, type Scenario } from "../../contracts/backend.ts";
import { type Answer, fails, says, stalls } from "../../support/client/messages-answer.ts";
import { piScene } from "./scene.ts";

const DOES: { readonly [S in Scenario]: Answer } = {
  answers: says(ANSWER),
  hangs: stalls("I begin, and"),
  fails: fails(400, "No."),
  capped: says(ANSWER),
};

describeBackend("pi", (scenario) => piScene(() => DOES[scenario]));
