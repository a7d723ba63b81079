import { Ajv, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

export type Draft = 7 | 2020;

/**
 * Strict mode finds misspelled keywords. `format` is an annotation, as in the standard. Own keys only:
 * every object inherits `toString`.
 */
const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
};

export function createValidator(draft: Draft, options: Options): Ajv {
  const all = { ...OPTIONS, ...options };
  return draft === 7 ? new Ajv(all) : new Ajv2020(all);
}
