import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type RandomBelow, seededRandom } from "./seeded-random.ts";
import type { Target } from "./target.ts";

/** The Nth input of a target. It depends on the target, its corpus, the seed and N alone. */
export type Inputs = (index: number) => Buffer;

/** First the corpus and the seeds as they are, then mutations of them without end. */
export function inputsOf(target: Target, seed: string): Inputs {
  const corpus = [...corpusOf(target.name), ...target.seeds()];
  return (index) => {
    const whole = corpus[index];
    if (whole !== undefined) return whole;
    return mutated(corpus, target.words, seededRandom(`${seed}/${target.name}/${String(index)}`));
  };
}

const CORPUS = path.join(import.meta.dirname, "corpus");

function corpusOf(name: string): readonly Buffer[] {
  const folder = path.join(CORPUS, name);
  const files = readdirSync(folder).sort();
  return files.map((file) => readFileSync(path.join(folder, file)));
}

/** Most inputs stay small: many of them say more than a few large ones. */
const LARGEST = 256 * 1024;

function mutated(corpus: readonly Buffer[], words: readonly string[], dice: RandomBelow): Buffer {
  let input = corpus[dice(corpus.length)] ?? Buffer.alloc(0);
  const times = 1 + dice(1 + dice(12));
  for (let done = 0; done < times; done += 1) {
    const change = CHANGES[dice(CHANGES.length)] ?? withByte;
    input = change(input, { corpus, words, dice });
  }
  // What is slow in its length shows only at length.
  if (dice(100) === 0) input = lengthened(input, dice);
  return input.subarray(0, LARGEST);
}

interface Means {
  readonly corpus: readonly Buffer[];
  readonly words: readonly string[];
  readonly dice: RandomBelow;
}
type Change = (input: Buffer, means: Means) => Buffer;

/** A part of the input, as offsets; short parts are likelier. */
function part(input: Buffer, dice: RandomBelow): readonly [start: number, end: number] {
  const start = dice(input.length + 1);
  return [start, Math.min(input.length, start + dice(2 + dice(1 + input.length - start)))];
}

function replaced(input: Buffer, start: number, end: number, by: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, start), by, input.subarray(end)]);
}

const withByte: Change = (input, { dice }) => {
  const at = dice(input.length + 1);
  return replaced(input, at, Math.min(input.length, at + dice(2)), Buffer.of(dice(256)));
};

const withBitTurned: Change = (input, { dice }) => {
  const copy = Buffer.from(input);
  const at = dice(copy.length);
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << dice(8));
  return copy;
};

const withoutPart: Change = (input, { dice }) => {
  const [start, end] = part(input, dice);
  return replaced(input, start, end, Buffer.alloc(0));
};

const withPartAgain: Change = (input, { dice }) => {
  const [start, end] = part(input, dice);
  const at = dice(input.length + 1);
  return replaced(input, at, at, input.subarray(start, end));
};

const withWord: Change = (input, { words, dice }) => {
  const at = dice(input.length + 1);
  const word = Buffer.from(words[dice(words.length)] ?? "");
  return replaced(input, at, dice(2) === 0 ? at : Math.min(input.length, at + word.length), word);
};

const withNumber: Change = (input, { dice }) => {
  const text = input.toString("latin1");
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  const found = numbers[dice(numbers.length)];
  if (found === undefined) return input;
  const by = NUMBERS[dice(NUMBERS.length)] ?? "0";
  return replaced(input, found.index, found.index + found[0].length, Buffer.from(by));
};

/** The first part of this input and the last part of another. */
const crossed: Change = (input, { corpus, dice }) => {
  const other = corpus[dice(corpus.length)] ?? input;
  return Buffer.concat([
    input.subarray(0, dice(input.length + 1)),
    other.subarray(dice(other.length + 1)),
  ]);
};

const withField: Change = (input, { dice }) => {
  if (input.length < 4) return input;
  const copy = Buffer.from(input);
  const value = [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, copy.length][dice(8)] ?? 0;
  if (dice(2) === 0) copy.writeUInt16LE(value & 0xffff, dice(copy.length - 1));
  else copy.writeUInt32LE(value >>> 0, dice(copy.length - 3));
  return copy;
};

const CHANGES: readonly Change[] = [
  ...[withByte, withBitTurned, withoutPart, withPartAgain, withWord, withWord, withWord],
  ...[withNumber, crossed, withField],
];

const NUMBERS: readonly string[] = [
  ...["0", "-0", "-1", "1", "2", "0.5", "1e-9", "1e21", "1e308", "1e999", "9007199254740993"],
  ...["2147483648", "4294967296", "99999999999999999999", "0x10", "010", "1.", ".5", "null", '""'],
];

function lengthened(input: Buffer, dice: RandomBelow): Buffer {
  const [start, end] = part(input, dice);
  const piece = input.subarray(start, end);
  if (piece.length === 0) return input;
  const room = 1024 * (16 + dice(112));
  const pieces = Array.from({ length: Math.ceil(room / piece.length) }, () => piece);
  return replaced(input, start, end, Buffer.concat(pieces));
}
