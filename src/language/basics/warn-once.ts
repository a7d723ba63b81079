/** Reports only the first error. `describe`: the warning with the reason of that error. */
export function warnOnce(
  warn: (message: string) => void,
  describe: (reason: string) => string,
): (error: unknown) => void {
  let warned = false;
  return (error) => {
    if (!warned) warn(describe(error instanceof Error ? error.message : String(error)));
    warned = true;
  };
}
