/**
 * Why Windows cannot have a file of this name, as the end of a sentence ("which
 * …"); null where it can. The name is one part of a path.
 */
export function windowsNameProblem(name: string): string | null {
  const [forbidden] = FORBIDDEN.exec(name) ?? [];
  if (forbidden !== undefined) {
    const shown = forbidden < " " ? "a control character" : forbidden;
    return `has ${shown} in its name`;
  }
  if (/[. ]$/.test(name)) return "ends in a dot or a blank";
  return isDeviceName(name) ? "is the name of a device" : null;
}

/** Whether Windows keeps this name for a device, whatever its case and extension. */
export function isDeviceName(name: string): boolean {
  const [stem = ""] = name.split(".");
  return DEVICE_NAME.test(stem.trimEnd());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[<>:"|?*\u0001-\u001f]/;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
