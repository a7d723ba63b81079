import { printable } from "../../log/printable.ts";

/**
 * Makes characters visible that could hide or reorder text (docs/untrusted-input.md, "Model output"). As a hook of Preact, it escapes all
 * text nodes, `title` and `aria-label` attributes of the page. Keeps line ends.
 */
export function escapeText(vnode: { readonly type: unknown; props: unknown }): void {
  const { type, props } = vnode;
  // Text nodes have no type, and their text as `props`.
  if (typeof props === "string") vnode.props = escaped(props);
  if (typeof type !== "string") return;
  const attributes = props as Record<string, unknown>;
  for (const name of ["title", "aria-label"]) {
    const text = attributes[name];
    if (typeof text === "string") attributes[name] = escaped(text);
  }
}

function escaped(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}
