import { ANSWER, describeBackend, invocation, type Scenario } from "../contracts/backend.ts";
import { type Plain, plainBackend } from "../support/client/plain-backend.ts";

const DOES: { readonly [S in Scenario]: Plain } = {
  answers: { says: ANSWER },
  hangs: "hangs",
  fails: { fails: "It broke." },
  // It can be held to no cap, so nothing of that is asked.
  capped: { fails: "It broke." },
};

describeBackend("a backend that can only answer", (scenario) =>
  Promise.resolve({
    backend: plainBackend(DOES[scenario]),
    call: invocation,
    close: () => Promise.resolve(),
  }),
);
