/** Whether a call may load the settings of the project in its working folder (docs/trust.md). */
export type ProjectAccess =
  | { readonly kind: "load" }
  | {
      readonly kind: "ignore";
      /** Files of the project that the client could obey, absolute. */
      readonly files: readonly string[];
      /** Why, to show once; null if the user has decided so. */
      readonly warning: string | null;
    };
