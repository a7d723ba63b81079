import { parseSimulation } from "../../../src/clients/simulation/script.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import type { Target } from "../target.ts";

/** The replies of a simulation: read, or a RaymondError. */
export const simulationTarget: Target = {
  name: "simulation",
  words: [
    ...[
      "states:\n",
      "  START.md:\n",
      "    - reply: x\n",
      "    - fail: outage\n",
      "cost: ",
      "delay: ",
    ],
    ...[
      "times: always",
      "capped: true",
      "denied: [{ tool: Bash }]",
      "message: ",
      "&a ",
      "*a",
      "<<: ",
    ],
    ...["[", "]", "{", "}", ",", "|\n", ">\n", '"', "'", "- ", "? ", ": ", "#", "---\n", "...\n"],
    ...[
      "!!js/function ",
      "!!binary ",
      "!!set ",
      "!!omap ",
      "__proto__: ",
      "\t",
      "\ufeff",
      "\u0000",
    ],
  ],
  seeds: () => [],
  broken(input) {
    try {
      const { states } = parseSimulation("a.sim.yaml", input.toString());
      for (const { replies } of states.values()) {
        for (const { delayMs, costMicroUsd } of replies) {
          if (!Number.isFinite(delayMs + (costMicroUsd ?? 0))) return "A figure is no number.";
        }
      }
      return null;
    } catch (error) {
      if (!(error instanceof RaymondError)) throw error;
      return error.message.length > 4_000 ? "A message is a page long." : null;
    }
  },
};
