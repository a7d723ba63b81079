import { randomUUID } from "node:crypto";
import path from "node:path";
import * as z from "zod/mini";
import type { Answers, QuestionKey, StoredAnswer } from "../engine/ports/answers.ts";
import { errorCode, isMissing } from "../language/basics/error-code.ts";
import { parseJson } from "../language/basics/json-object.ts";
import { warnOnce } from "../language/basics/warn-once.ts";
import { ACTED_VIA } from "../machine/model/actor.ts";
import type { Answer } from "../machine/model/answer.ts";
import { isTimedOut } from "../machine/moves/question.ts";
import { once } from "./codec/shape.ts";
import type { Disk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import { makeDurableFolder } from "./root-folder.ts";

/*
 * Delivery of answers:
 *
 * A1  A question has one file, named after it, and the first answer wins: a complete file is linked to that name, which
 *     fails if the name exists.
 * A2  When `give` resolves, the answer survives a power loss. The run is notified only after that, so no acknowledged
 *     answer is lost.
 * A3  When the question times out, the run creates the file itself, without an answer: an earlier answer counts, and a
 *     later one is not acknowledged.
 * A4  Files are kept: a question stays answered even if the run is saved later.
 */

/** The answers of a run in their folder. `warn` is called once if they cannot be read. */
export function answerFiles(
  disk: Disk,
  folder: string,
  warn: (message: string) => void = () => undefined,
): Answers {
  const report = warnOnce(
    warn,
    (reason) => `Cannot read the answers in ${folder}: ${reason}. Trying again.`,
  );
  const fileOf = (asked: QuestionKey) => path.join(folder, answerName(asked));

  const find = async (asked: QuestionKey): Promise<StoredAnswer | null> => {
    const file = fileOf(asked);
    try {
      const text = (await disk.read(file)).toString();
      return parseAnswer(asked, text) ?? { kind: "unreadable", file };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  const place = async (asked: QuestionKey, content: string): Promise<StoredAnswer | null> => {
    const file = fileOf(asked);
    const temporary = path.join(folder, `.${randomUUID()}.tmp`);
    await makeDurableFolder(disk, folder);
    try {
      await disk.write(temporary, content);
      await disk.link(temporary, file);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return await find(asked);
      throw error;
    } finally {
      await disk.remove(temporary).catch(() => undefined);
    }
    await disk.syncFolder(folder);
    return null;
  };
  const close = (asked: QuestionKey, now: number): Promise<StoredAnswer | null> => {
    return place(asked, closedContent(asked, now));
  };
  const failed = (error: unknown): null => {
    report(error);
    return null;
  };

  return {
    find: (asked) => orDiskError("read the answers in", folder, () => find(asked)),
    submit: (answer) =>
      orDiskError("answer in", folder, () => place(answer, answerContent(answer))),
    collect: async (open, now) => {
      const names = new Set(await disk.names(folder).catch(failed));
      const checks = open.map(async (asked) => {
        if (names.has(answerName(asked))) return find(asked);
        return isTimedOut(asked, now) ? close(asked, now) : null;
      });
      const found = await Promise.all(checks.map((check) => check.catch(failed)));
      return found.flatMap((given) => (given?.kind === "answer" ? given : []));
    },
  };
}

export function answerName({ agent, number }: QuestionKey): string {
  return `${agent}-${String(number)}.json`;
}

export function answerContent({ agent, number, answer, by, at }: Answer): string {
  const { sudoUser: sudo_user, ...who } = by;
  return print({ agent, number, answer, ...who, sudo_user, at: new Date(at).toISOString() });
}

/** The content of the file of a question that timed out. */
export function closedContent({ agent, number }: QuestionKey, now: number): string {
  return print({ agent, number, closed: true, at: new Date(now).toISOString() });
}

function print(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

const schema = once(() =>
  z.union([
    z.object({ closed: z.literal(true), at: z.iso.datetime() }),
    z.object({
      answer: z.string(),
      user: z.nullable(z.string()),
      host: z.nullable(z.string()),
      via: z.enum(ACTED_VIA),
      sudo_user: z.optional(z.string()),
      at: z.iso.datetime(),
    }),
  ]),
);

/** Null for a file that raymond did not write. */
export function parseAnswer({ agent, number }: QuestionKey, text: string): StoredAnswer | null {
  const read = schema().safeParse(parseJson(text));
  if (!read.success) return null;
  const at = Date.parse(read.data.at);
  if ("closed" in read.data) return { kind: "closed", at };
  const { answer, user, host, via, sudo_user: sudoUser } = read.data;
  const by = { user, host, via, ...(sudoUser !== undefined && { sudoUser }) };
  return { kind: "answer", agent, number, answer, by, at };
}
