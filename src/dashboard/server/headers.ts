import { createHash } from "node:crypto";

/**
 * Inline style of the page for browsers that are not signed in: they cannot load the style sheet. The content
 * security policy allows exactly this text.
 */
export const BARE_STYLE = [
  ":root{color-scheme:light dark}",
  "body{margin:0;font:15px/1.45 system-ui,sans-serif;background:light-dark(#f4f5f7,#121417);color:light-dark(#191c20,#e8eaed)}",
  "main{max-width:36rem;margin:12vh auto;padding:1.5rem;background:light-dark(#fff,#1a1d21);border:1px solid light-dark(#d5d9df,#343a42);border-radius:8px}",
  "h1{margin:0 0 .5rem;font-size:1.2rem}p{margin:0}",
].join("");

const BARE_STYLE_HASH = createHash("sha256").update(BARE_STYLE).digest("base64");

/**
 * Headers of every response (docs/dashboard.md, "Security"): only own scripts, no framing, no referrer,
 * no caching.
 */
export const HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'sha256-${BARE_STYLE_HASH}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  ],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cache-control", "no-store"],
];
