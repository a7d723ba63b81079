import { describeSaves } from "../contracts/store.ts";
import { Disk } from "../model/disk.ts";
import { Schedule } from "../model/schedule.ts";
import { memoryStore } from "../support/memory-store.ts";

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
