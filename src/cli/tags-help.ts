import { TAG_TABLE } from "../core/protocol/tag-table.ts";

/** The tags and what each means, as `raymond help tags` prints them. */
export function tagsText(): string {
  const tags = Object.values(TAG_TABLE);
  const width = Math.max(...tags.map(({ example }) => example.length)) + 2;
  const rows = tags.map(({ example, summary }) => `${example.padEnd(width)}${summary}`);
  return ["What a state may say last, and what comes next:", "", ...rows].join("\n");
}
