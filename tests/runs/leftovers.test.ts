import { leftoversOf } from "../../src/runs/wire/leftovers.ts";
import { describeLeftovers } from "../contracts/leftovers.ts";

describeLeftovers("those of the machine", () => leftoversOf("/nowhere", null));
