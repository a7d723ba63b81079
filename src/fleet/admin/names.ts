import { fleetErrors } from "../errors.ts";

/** Why a name of a machine, pool or account is invalid, as a clause; null if it is valid. */
export function nameProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (name.length > 60) return "is longer than 60 characters";
  if (/^[a-z0-9][a-z0-9._-]*$/i.test(name)) return null;
  return "is not made of letters, digits, -, _ and . (and it must begin with a letter or a digit)";
}

/** Returns the name. Throws `fleet/bad-name` if it is invalid. `where`: the flag or file that contains it. */
export function requireName(
  what: "machine" | "pool" | "account",
  name: string,
  where: string,
): string {
  const problem = nameProblem(name);
  if (problem !== null) throw fleetErrors["fleet/bad-name"](what, name, problem, where);
  return name;
}
