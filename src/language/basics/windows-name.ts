/** Why a file cannot have this name on Windows, as the end of a sentence ("which …"); null if it can. */
export function windowsNameProblem(name: string): string | null {
  const [forbidden] = FORBIDDEN.exec(name) ?? [];
  if (forbidden !== undefined) {
    const shown = forbidden < " " ? "a control character" : forbidden;
    return `contains ${shown}`;
  }
  if (/[. ]$/.test(name)) return "ends with a dot or a space";
  return isDeviceName(name) ? "is a device name" : null;
}

/** Whether Windows reserves this name for a device, in any case and with any extension. */
export function isDeviceName(name: string): boolean {
  const [stem = ""] = name.split(".");
  return DEVICE_NAME.test(stem.trimEnd());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches.
const FORBIDDEN = /[<>:"|?*\u0001-\u001f]/;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
