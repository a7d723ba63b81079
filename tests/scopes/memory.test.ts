import { memoryScope } from "../../src/scopes/memory.ts";
import { describeScope } from "../contracts/scope.ts";

describeScope("memoryScope", (files) => Promise.resolve(memoryScope(files)));
