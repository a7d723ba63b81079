import { TAG_TABLE } from "../../../language/protocol/tag-table.ts";

/** `raymond help tags`: the tags and their meaning. */
export function tagsText(): string {
  const tags = Object.values(TAG_TABLE);
  const width = Math.max(...tags.map(({ example }) => example.length)) + 2;
  const rows = tags.map(({ example, summary }) => `${example.padEnd(width)}${summary}`);
  return ["Tags at the end of a state's output:", "", ...rows].join("\n");
}
