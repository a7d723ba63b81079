import { randomUUID } from "node:crypto";
import path from "node:path";
import { errorCode, isMissing } from "../core/error-code.ts";
import { isTimeOver } from "../core/machine/question.ts";
import type { Answers, Asked, Given } from "../ports/answers.ts";
import { answerContent, closedContent, parseAnswer } from "./answer-content.ts";
import type { Disk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import { makeDurableFolder } from "./root-folder.ts";

/*
 * How an answer comes to a run:
 *
 * A1  A question has one file, named after it. Who makes it first has answered:
 *     a whole file takes its name by a link, which fails where the name is taken.
 * A2  When `give` resolves, the answer survives a power loss. Only then is
 *     anybody nudged, so the run loses none that was acknowledged.
 * A3  When its time is over the run makes that file itself, without an answer: an
 *     answer that came before counts, and none that comes after is acknowledged.
 * A4  Files stay: what was answered is answered, also where the run is saved later.
 */

/** The answers of a run in their folder; `warn` is told once where they cannot be read. */
export function answerFiles(
  disk: Disk,
  folder: string,
  warn: (message: string) => void = () => undefined,
): Answers {
  let warned = false;
  const fileOf = (asked: Asked) => path.join(folder, answerName(asked));

  const find = async (asked: Asked): Promise<Given | null> => {
    const file = fileOf(asked);
    try {
      const text = (await disk.read(file)).toString();
      return parseAnswer(asked, text) ?? { kind: "unreadable", file };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  const place = async (asked: Asked, content: string): Promise<Given | null> => {
    const file = fileOf(asked);
    const beside = path.join(folder, `.${randomUUID()}.tmp`);
    await makeDurableFolder(disk, folder);
    try {
      await disk.write(beside, content);
      await disk.link(beside, file);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return await find(asked);
      throw error;
    } finally {
      await disk.remove(beside).catch(() => undefined);
    }
    await disk.syncFolder(folder);
    return null;
  };
  const close = (asked: Asked, now: number): Promise<Given | null> => {
    return place(asked, closedContent(asked, now));
  };
  const failed = (error: unknown): null => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!warned)
      warn(`The answers in ${folder} cannot be read: ${reason}. They are looked for again.`);
    warned = true;
    return null;
  };

  return {
    find: (asked) => orDiskError("read the answers in", folder, () => find(asked)),
    give: (answer) => orDiskError("answer in", folder, () => place(answer, answerContent(answer))),
    take: async (open, now) => {
      const names = new Set(await disk.names(folder).catch(failed));
      const looked = open.map(async (asked) => {
        if (names.has(answerName(asked))) return find(asked);
        return isTimeOver(asked, now) ? close(asked, now) : null;
      });
      const found = await Promise.all(looked.map((look) => look.catch(failed)));
      return found.flatMap((given) => (given?.kind === "answer" ? given : []));
    },
  };
}

/** The name of the file that answers a question. */
export function answerName({ agent, number }: Asked): string {
  return `${agent}-${String(number)}.json`;
}
