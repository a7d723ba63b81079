// What names and paths mean to the second interpreter of the workflow language.

/** The workflow of a state as its full name begins; that which was started has none. */
export function workflowOf(fullName: string): string {
  return fullName.slice(0, fullName.lastIndexOf("/") + 1);
}

/** What a worker is called after. */
export function abbreviation(state: string): string {
  const stem = state
    .replace(/.*\//, "")
    .replace(/\.\w+$/, "")
    .toLowerCase();
  const kept = stem.slice(0, 6).replaceAll(/[^a-z0-9]/g, "");
  return /[0-9]$|^$/.test(kept) ? `${kept}x` : kept;
}

/** Where a path leads from a folder. */
export function folder(from: string, name: string): string {
  const parts = (name.startsWith("/") ? name : `${from}/${name}`).split("/");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}
