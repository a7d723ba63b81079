import { readJournal } from "../../../src/machine/record/journal.ts";
import { describeJournal } from "../../contracts/journal.ts";
import { describeSaves } from "../../contracts/store.ts";
import { Disk } from "../../model/disk.ts";
import { journalOf } from "../../model/model-engine.ts";
import { Schedule } from "../../model/schedule.ts";
import { memoryStore } from "../../support/engine/memory-store.ts";
import { world } from "../../support/engine/worlds.ts";

describeSaves("memoryStore", () => {
  const store = memoryStore();
  return Promise.resolve({
    writer: () => store,
    kept: () => Promise.resolve(store.saves.at(-1)),
  });
});

describeSaves("the disk of the model", () => {
  const schedule = new Schedule([]);
  const disk = new Disk(schedule, null, () => undefined);
  const writer = {
    save: (...saving: Parameters<Disk["save"]>) => {
      const saved = disk.save(...saving);
      schedule.next();
      return saved;
    },
  };
  return Promise.resolve({ writer: () => writer, kept: () => Promise.resolve(disk.run) });
});

describeJournal("that of a simulated world", () => {
  const here = world({});
  return { journal: here.engine.journal, written: () => here.journal };
});

describeJournal("that of the model", () => {
  const lines: string[] = [];
  return { journal: journalOf(lines), written: () => readJournal(lines.join("")) };
});
