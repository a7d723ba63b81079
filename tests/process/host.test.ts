import { processHost } from "../../src/process/host.ts";
import { describeProcessHost } from "../contracts/process.ts";

describeProcessHost("processHost", processHost());
