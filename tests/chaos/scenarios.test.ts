import { expect, it } from "vitest";
import { compare, observe } from "./observable.ts";
import { SCENARIOS } from "./scenarios.ts";
import { live, setStage } from "./stage.ts";

it.each(SCENARIOS)(
  "the scenario $name comes to its end, and to the same each time",
  async (scenario) => {
    const once = async () => {
      const stage = await setStage(scenario);
      return observe(stage, await live(stage));
    };
    const [first, second] = await Promise.all([once(), once()]);

    expect(first.status).toBe("completed");
    expect(first.spent).toBeGreaterThanOrEqual(
      first.paid.reduce((sum, { microUsd }) => sum + microUsd, 0),
    );
    expect(compare(first, second, [])).toEqual([]);
  },
);
