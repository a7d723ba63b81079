/** A whole number from 0 to below `sides`. */
export type RandomBelow = (sides: number) => number;

/** Dice that fall the same for the same seed. */
export function seededRandom(seed: string | Buffer): RandomBelow {
  let state = hashOf(Buffer.from(seed));
  return (sides) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
