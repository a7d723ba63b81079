export const IMAGE_EXPECTS = 'the name of an image such as "node:22-bookworm"';

/**
 * Whether a text can be the name of an image (docs/containers.md, "Containers"). It never starts with
 * a dash, so it is never an option of docker or podman. The words for on and off are mistakes.
 */
export function isImage(text: string): boolean {
  return (
    /^[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,499}$/.test(text) &&
    !/^(?:on|off|none|true|false)$/.test(text)
  );
}
