/** A request before its first answer. */
export interface Asked {
  readonly model: string | null;
  /** Characters of the request. */
  readonly chars: number;
  /** Tokens of the conversation before the request. */
  readonly contextTokens: number;
}

export const NOTHING_ASKED: Asked = { model: null, chars: 0, contextTokens: 0 };

/** Estimated characters per token of a text without a usage figure. */
export const CHARS_PER_TOKEN = 4;
