import { fleetErrors } from "../errors.ts";

/** Why a text cannot name a machine, a pool or an account, as a clause; null when it can. */
export function nameProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (name.length > 60) return "is longer than 60 characters";
  if (/^[a-z0-9][a-z0-9._-]*$/i.test(name)) return null;
  return "is not made of letters, digits, -, _ and . (and it must begin with a letter or a digit)";
}

/** The same name; throws a `fleet/bad-name` where it cannot be one. `where` it stands. */
export function requireName(
  what: "machine" | "pool" | "account",
  name: string,
  where: string,
): string {
  const problem = nameProblem(name);
  if (problem !== null) throw fleetErrors["fleet/bad-name"](what, name, problem, where);
  return name;
}
