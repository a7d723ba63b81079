/**
 * An error for the user: `message` says what failed and why, `hint` what to do. `code` is stable:
 * scripts and docs rely on it. Any other error that reaches the command line is a bug and is printed
 * with its stack.
 */
export abstract class RaymondError extends Error {
  abstract readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options);
    this.hint = options.hint;
  }
}

/** `folder/what-failed`, such as `store/unknown-run`. */
export type ErrorCode = `${string}/${string}`;

export interface ErrorText {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

type ErrorTable = Readonly<Record<ErrorCode, (...args: never[]) => ErrorText>>;

/**
 * Defines the errors of a folder, one entry per code. The result has a function per code that creates
 * the error: `throw storageErrors["store/unknown-run"](id)`. To catch one, compare `code`. Define a
 * class only if the code that catches it reads its fields.
 */
export function defineErrors<const Table extends ErrorTable>(
  table: Table,
): {
  readonly [Code in keyof Table & ErrorCode]: (...args: Parameters<Table[Code]>) => RaymondError;
} {
  const create = ([code, text]: [string, ErrorTable[ErrorCode]]) => [
    code,
    (...args: never[]) => new TableError(code as ErrorCode, text(...args)),
  ];
  return Object.fromEntries(Object.entries(table).map(create)) as ReturnType<
    typeof defineErrors<Table>
  >;
}

/** A handler of a rejection: the result of `handle` for a RaymondError. Throws any other error again: it is a bug. */
export function onUserError<Result>(handle: (error: RaymondError) => Result) {
  return (error: unknown): Result => {
    if (error instanceof RaymondError) return handle(error);
    throw error;
  };
}

/** An error whose code is known only at run time. Otherwise use {@link defineErrors}. */
export function createError(code: ErrorCode, text: ErrorText): RaymondError {
  return new TableError(code, text);
}

class TableError extends RaymondError {
  override readonly name = "RaymondError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, { message, hint, cause }: ErrorText) {
    super(message, {
      ...(hint === undefined ? {} : { hint }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.code = code;
  }
}
