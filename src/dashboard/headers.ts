/**
 * What stands in every answer (docs/dashboard.md, "How it is kept safe"): the page runs its own files and no
 * other script, is shown in no other page, tells nobody where it is, and nothing of it is kept.
 */
export const HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
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
