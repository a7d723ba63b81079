import { expect, it } from "vitest";
import {
  receivesRequests,
  requestDispatcher,
} from "../../../src/run/control/request-dispatcher.ts";

it("knows a control that hears all that can be wished of a run from one that does not", () => {
  const { control } = requestDispatcher();
  const { onWake, ...others } = control;

  expect([
    receivesRequests(control),
    receivesRequests(others),
    receivesRequests({ onWake }),
    receivesRequests(undefined),
  ]).toEqual([true, false, false, false]);
});
