import { memoryStore } from "../../src/stores/memory.ts";
import { describeStore } from "../contracts/store.ts";
import { tempFolder } from "../support/folders.ts";

describeStore("memoryStore", async () => memoryStore([], await tempFolder()));
