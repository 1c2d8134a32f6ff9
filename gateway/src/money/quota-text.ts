/** An amount of quota as text in log rows; no program parses it. */
import type { OptionReader } from "../settings/live-options.ts";

const microsPerUnit = 2;

export function quotaText(units: number, options: OptionReader): string {
  if (!options.flag("DisplayInCurrencyEnabled")) return `${units} quota`;
  const micros = BigInt(Math.abs(units)) * BigInt(microsPerUnit);
  const digits = String(micros).padStart(7, "0");
  return `${units < 0 ? "-" : ""}$${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
