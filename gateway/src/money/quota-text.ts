/** An amount of quota as text in log rows; no program parses it. */
import type { OptionReader } from "../settings/live-options.ts";

const microsPerUnit = 2;

/** `computeDollars` is for programs, which take money as a number of US dollars. */
export const computeDollars = (units: number): number => (units * microsPerUnit) / 1_000_000;

export function formatQuotaText(units: number, options: OptionReader): string {
  if (!options.flag("DisplayInCurrencyEnabled")) return `${units} quota`;
  const micros = BigInt(Math.abs(units)) * BigInt(microsPerUnit);
  const digits = String(micros).padStart(7, "0");
  return `${units < 0 ? "-" : ""}$${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
