/** Sums in refusals that no try will change. Pure. */

/** Agents search a refusal for these, whatever they stand for, and then send the call again. */
const looksLikeStatus = /429|50[0234]|524/;
/** `steps` are of one unit, and then of one in each place of a sum in dollars. */
const steps = [1, ...Array.from({ length: 15 }, (_, place) => 5 * 10 ** place)];

/**
 * `tellDollars` writes dollars exactly; where the digits look like a status, the nearest sum above
 * or below that does not.
 */
export function tellDollars(units: number, towards: "up" | "down"): string {
  const exact = dollars(units);
  if (!looksLikeStatus.test(exact)) return exact;
  for (const step of steps) {
    const near = (Math.floor(units / step) + (towards === "up" ? 1 : -1)) * step;
    const told = dollars(Math.max(0, near));
    if (!looksLikeStatus.test(told)) return told;
  }
  return exact;
}

/** A whole number; where it looks like a status, the nearest above or below that does not. */
export function tellCount(count: number, towards: "up" | "down"): string {
  let told = count;
  while (looksLikeStatus.test(String(told))) told += towards === "up" ? 1 : -1;
  return String(told);
}

/** `dollars` writes at least two decimals; a unit is two millionths of a dollar. */
function dollars(units: number): string {
  const digits = String(BigInt(units) * 2n).padStart(7, "0");
  return `$${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, "")}`;
}
