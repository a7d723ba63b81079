/** The variable that names the database of the fleet. */
export const FLEET_VARIABLE = "RAYMOND_FLEET";
